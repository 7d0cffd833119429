#include "trainer/data/data_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace dailies::trainer {
namespace {

std::vector<std::int64_t> taken(const DataOrder& order, std::int64_t samples, std::int64_t batch) {
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < samples; ++i) indices.push_back(order.index(1 + i / batch, i % batch));
    return indices;
}

TEST(DataOrder, EveryEpochTakesEveryClipExactlyOnce) {
    for (const std::int64_t size : {1, 2, 5, 16, 17, 100, 1000}) {
        const DataOrder order(7, {size}, 4);
        auto indices = taken(order, 3 * size, 4);
        std::vector<std::int64_t> all(static_cast<std::size_t>(size));
        std::iota(all.begin(), all.end(), 0);
        for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
            std::vector<std::int64_t> part(indices.begin() + epoch * size,
                                           indices.begin() + (epoch + 1) * size);
            std::ranges::sort(part);
            EXPECT_EQ(part, all) << size << " clips, epoch " << epoch;
        }
    }
}

TEST(DataOrder, EpochsAndSeedsDifferInOrder) {
    const auto twoEpochs = taken(DataOrder(1, {50}, 10), 100, 10);
    EXPECT_FALSE(std::equal(twoEpochs.begin(), twoEpochs.begin() + 50, twoEpochs.begin() + 50));
    EXPECT_NE(taken(DataOrder(1, {50}, 10), 50, 10), taken(DataOrder(2, {50}, 10), 50, 10));
}

TEST(DataOrder, ABatchTakesTheSameClipsHoweverItIsCutIntoRanks) {
    // index() knows nothing of ranks; what matters is that step and place alone decide
    const DataOrder first(3, {33}, 12), second(3, {33}, 12);
    for (std::int64_t step = 9; step >= 1; --step)
        for (std::int64_t sample = 0; sample < 12; ++sample)
            EXPECT_EQ(first.index(step, sample), second.index(step, sample));
}

/// How often each clip was taken by the first `steps` steps.
std::vector<std::int64_t> timesTaken(BatchOrder& order, std::int64_t steps, std::int64_t clips) {
    std::vector<std::int64_t> times(static_cast<std::size_t>(clips));
    for (std::int64_t step = 1; step <= steps; ++step)
        for (const auto index : order.batch(step)) ++times[static_cast<std::size_t>(index)];
    return times;
}

TEST(DataOrder, ABatchHoldsClipsOfOneBucketAndEveryEpochTakesEachClipOnce) {
    for (const auto& sizes :
         std::vector<std::vector<std::int64_t>>{{10, 7, 23}, {1, 64}, {3, 0, 2}, {5, 5, 5, 5}, {128, 1}}) {
        constexpr std::int64_t kBatch = 4;
        const auto all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        DataOrder order(11, sizes, kBatch);
        // walks[b]: the clips of a bucket in the order in which they were taken
        std::vector<std::vector<std::int64_t>> walks(sizes.size());
        for (std::int64_t step = 1; step <= 12 * all / kBatch; ++step) {
            const auto batch = order.batch(step);
            ASSERT_EQ(batch.size(), static_cast<std::size_t>(kBatch));
            const auto bucketOf = [&](std::int64_t index) {
                std::size_t bucket = 0;
                while (index >= sizes[bucket]) index -= sizes[bucket++];
                return bucket;
            };
            for (std::int64_t i = 0; i < kBatch; ++i) {
                const auto index = batch[static_cast<std::size_t>(i)];
                EXPECT_EQ(bucketOf(index), bucketOf(batch[0])) << "step " << step;
                EXPECT_EQ(index, order.index(step, i));
            }
            walks[bucketOf(batch[0])].insert(walks[bucketOf(batch[0])].end(), batch.begin(), batch.end());
        }
        // A bucket's batches of one epoch come in any order, so what is complete is what all its epochs hold.
        const auto times = timesTaken(order, 12 * all / kBatch, all);
        EXPECT_LE(std::ranges::max(times) - std::ranges::min(times), 2) << "no clip runs ahead of the others";
        for (std::size_t b = 0; b < sizes.size(); ++b) {
            if (sizes[b] == 0) continue;
            std::map<std::int64_t, std::int64_t> count;
            for (const auto index : walks[b]) ++count[index];
            EXPECT_GE(static_cast<std::int64_t>(walks[b].size()), 11 * sizes[b] - 2 * kBatch)
                << "bucket " << b;
        }
    }
}

TEST(DataOrder, AfterEpochsThatEndWithAWholeBatchEachClipWasTakenEquallyOften) {
    // 8 and 12 divide by 4: each epoch is 5 batches, and after n of them every clip was seen n times
    DataOrder order(3, {8, 12}, 4);
    for (const std::int64_t epochs : {1, 2, 7})
        EXPECT_EQ(timesTaken(order, 5 * epochs, 20), std::vector<std::int64_t>(20, epochs));
    // 6 and 9 do not: what an epoch leaves over begins the next; after four epochs the batches come out even
    DataOrder uneven(3, {6, 9}, 4);
    EXPECT_EQ(timesTaken(uneven, 4 * 15 / 4, 15), std::vector<std::int64_t>(15, 4));
}

TEST(DataOrder, GoesOnBehindTheClipsTakenWhereTheBatchSizeChanges) {
    for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{40}, {8, 12, 20}, {8, 0, 32}}) {
        DataOrder order(11, sizes, 4);
        std::vector<std::int64_t> times(40);
        const auto take = [&](std::int64_t from, std::int64_t to) {
            for (auto step = from; step <= to; ++step)
                for (const auto index : order.batch(step)) ++times[static_cast<std::size_t>(index)];
        };
        take(1, 3);  // 12 clips
        order.changeBatchSize(3, 2);
        take(4, 9);  // 12
        order.changeBatchSize(9, 1);
        take(10, 25);  // 16
        EXPECT_EQ(times, std::vector<std::int64_t>(40, 1)) << "one epoch";
        order.changeBatchSize(25, 2);
        take(26, 65);  // two more
        EXPECT_EQ(times, std::vector<std::int64_t>(40, 3));
    }
}

TEST(DataOrder, OfAnEpochUnderWaySkipsAndRepeatsNothingWhateverTheBatchSizes) {
    // batches that span epochs: no clip of a bucket may be a whole epoch ahead of another
    DataOrder order(5, {7, 30, 11}, 4);
    std::vector<std::int64_t> times(48);
    std::int64_t step = 0;
    for (const std::int64_t size : {4, 7, 3, 16, 1, 5}) {
        if (step > 0) order.changeBatchSize(step, size);
        for (int i = 0; i < 9; ++i)
            for (const auto index : order.batch(++step)) ++times[static_cast<std::size_t>(index)];
    }
    const auto ofBucket = [&](int first, int last) {
        const auto [least, most] = std::minmax_element(times.begin() + first, times.begin() + last);
        return *most - *least;
    };
    EXPECT_LE(ofBucket(0, 7), 2);
    EXPECT_LE(ofBucket(7, 37), 2);
    EXPECT_LE(ofBucket(37, 48), 2);
}

TEST(DataOrder, OfGeneratedClipsGoesOnWhereTheBatchSizeChanges) {
    DataOrder order(0, {0}, 8);
    order.changeBatchSize(3, 4);
    EXPECT_EQ(order.batch(4), (std::vector<std::int64_t>{24, 25, 26, 27}));
    order.changeBatchSize(5, 1);
    EXPECT_EQ(order.batch(6), (std::vector<std::int64_t>{32}));
}

TEST(DataOrder, MixesTheBucketsWithinAnEpoch) {
    DataOrder order(5, {400, 400}, 4);
    int changes = 0;
    for (std::int64_t step = 2; step <= 200; ++step)
        changes += (order.index(step, 0) < 400) != (order.index(step - 1, 0) < 400);
    EXPECT_NEAR(changes, 100, 30);
}

TEST(DataOrder, FindsAStepFarAheadAtOnce) {
    const DataOrder order(1, {1'000'003, 500'009}, 256);
    const auto index = order.index(1'000'000'000, 17);
    EXPECT_GE(index, 0);
    EXPECT_LT(index, 1'500'012);
}

TEST(DataOrder, AGeneratedDataSetNeverRepeatsAnIndex) {
    auto indices = taken(DataOrder(0, {0}, 16), 1600, 16);
    std::ranges::sort(indices);
    EXPECT_EQ(std::ranges::adjacent_find(indices), indices.end());
}

}  // namespace
}  // namespace dailies::trainer
