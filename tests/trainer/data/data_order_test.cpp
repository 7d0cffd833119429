#include "trainer/data/data_order.h"

#include <gtest/gtest.h>

#include <algorithm>
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
        const DataOrder order(7, size, 4);
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
    const auto twoEpochs = taken(DataOrder(1, 50, 10), 100, 10);
    EXPECT_FALSE(std::equal(twoEpochs.begin(), twoEpochs.begin() + 50, twoEpochs.begin() + 50));
    EXPECT_NE(taken(DataOrder(1, 50, 10), 50, 10), taken(DataOrder(2, 50, 10), 50, 10));
}

TEST(DataOrder, ABatchTakesTheSameClipsHoweverItIsCutIntoRanks) {
    // index() knows nothing of ranks; what matters is that step and place alone decide
    const DataOrder first(3, 33, 12), second(3, 33, 12);
    for (std::int64_t step = 9; step >= 1; --step)
        for (std::int64_t sample = 0; sample < 12; ++sample)
            EXPECT_EQ(first.index(step, sample), second.index(step, sample));
}

TEST(DataOrder, AGeneratedDataSetNeverRepeatsAnIndex) {
    auto indices = taken(DataOrder(0, 0, 16), 1600, 16);
    std::ranges::sort(indices);
    EXPECT_EQ(std::ranges::adjacent_find(indices), indices.end());
}

}  // namespace
}  // namespace dailies::trainer
