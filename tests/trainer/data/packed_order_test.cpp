#include "trainer/data/packed_order.h"

#include "core/base/error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace dailies::trainer {
namespace {

const std::vector<std::int64_t> kSizes = {40, 25, 60};  // long videos, short ones, images
const BucketTokens kTokens = {256, 96, 16};
constexpr std::int64_t kPackedClips = 125, kRoom = 700;

std::int64_t tokensOf(std::int64_t index) {
    return index < 40 ? 256 : index < 65 ? 96 : 16;
}

TEST(PackedOrder, FillsEveryStepUpToItsTokensAndNotBeyond) {
    for (const std::int64_t copies : {1, 40}) {
        std::vector<std::int64_t> sizes;
        for (const auto size : kSizes) sizes.push_back(copies * size);
        PackedOrder order(3, sizes, kTokens, kRoom);
        double filled = 0;
        for (std::int64_t step = 1; step <= 100; ++step) {
            std::int64_t tokens = 0;
            for (const auto index : order.batch(step)) tokens += tokensOf(index / copies);
            EXPECT_LE(tokens, kRoom);
            EXPECT_GT(tokens, kRoom - 256) << "a step that has room for any clip takes one more";
            filled += static_cast<double>(tokens);
        }
        // few clips have a small window to choose from
        EXPECT_GT(filled / (100 * kRoom), copies == 1 ? 0.92 : 0.97) << kPackedClips * copies << " clips";
    }
}

TEST(PackedOrder, TakesEachClipOnceAnEpoch) {
    PackedOrder order(3, kSizes, kTokens, kRoom);
    std::vector<std::int64_t> taken;
    std::map<std::int64_t, std::int64_t> times;
    for (std::int64_t step = 1; taken.size() < 40 * kPackedClips; ++step)
        for (const auto index : order.batch(step)) {
            taken.push_back(index);
            ++times[index];
        }
    ASSERT_EQ(times.size(), static_cast<std::size_t>(kPackedClips));
    // what was taken is the walk but for the clips that wait, a quarter of an epoch's
    for (const auto& [index, count] : times) {
        EXPECT_GE(count, 40 - 2) << index;
        EXPECT_LE(count, 40 + 2) << index;
    }
    // in the long run nothing waits for ever
    std::map<std::int64_t, std::size_t> last;
    for (std::size_t i = 0; i < taken.size(); ++i) {
        if (const auto seen = last.find(taken[i]); seen != last.end()) {
            EXPECT_LT(i - seen->second, 3U * kPackedClips) << taken[i];
        }
        last[taken[i]] = i;
    }
}

TEST(PackedOrder, IsTheSameHoweverItIsAsked) {
    PackedOrder inOrder(3, kSizes, kTokens, kRoom), jumping(3, kSizes, kTokens, kRoom);
    std::vector<std::vector<std::int64_t>> steps;
    for (std::int64_t step = 1; step <= 60; ++step) steps.push_back(inOrder.batch(step));
    for (const std::int64_t step : {60, 3, 3, 17, 59, 1})
        EXPECT_EQ(jumping.batch(step), steps[static_cast<std::size_t>(step) - 1]) << step;
}

TEST(PackedOrder, GoesOnWithTheWaitingClipsWhereTheTokensOfAStepChange) {
    PackedOrder order(3, kSizes, kTokens, kRoom);
    std::map<std::int64_t, std::int64_t> times;
    std::int64_t step = 0, taken = 0;
    for (const std::int64_t tokens : {700, 350, 1400, 300}) {
        if (step > 0) order.changeTokens(step, kTokens, tokens);
        const auto firstOfTokens = step + 1;
        const auto first = order.batch(firstOfTokens);
        for (int i = 0; i < 40; ++i)
            for (const auto index : order.batch(++step)) {
                ++times[index];
                ++taken;
            }
        EXPECT_EQ(order.batch(firstOfTokens), first) << "asked again";
        order.batch(step);
    }
    for (const auto& [index, count] : times)
        EXPECT_NEAR(static_cast<double>(count), static_cast<double>(taken) / kPackedClips, 2.5) << index;
}

TEST(PackedOrder, ThatLeavesARankWithoutAClipIsRefused) {
    config::TrainConfig config;
    config.data.packing = true;
    config.data.tokens_per_step = 700;
    EXPECT_NO_THROW(makeBatchOrder(config, kSizes, kTokens, 2));
    try {
        makeBatchOrder(config, kSizes, kTokens, 3);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(),
                    testing::HasSubstr("data.tokens_per_step: found 700, expected at least 768"));
    }
}

TEST(PlacesOfRank, GiveEveryPlaceToOneRankAndSpreadTheTokens) {
    PackedOrder order(3, kSizes, kTokens, 4096);
    for (const std::int64_t ranks : {1, 2, 3, 4}) {
        for (std::int64_t step = 1; step <= 20; ++step) {
            std::vector<std::int64_t> tokens;
            for (const auto index : order.batch(step)) tokens.push_back(tokensOf(index));
            std::multiset<std::size_t> places;
            std::vector<std::int64_t> loads;
            for (std::int64_t rank = 0; rank < ranks; ++rank) {
                std::int64_t load = 0;
                for (const auto place : indicesOfRank(tokens, rank, ranks)) {
                    places.insert(place);
                    load += tokens[place];
                }
                EXPECT_GT(load, 0) << "rank " << rank << " of " << ranks << " has nothing to do";
                loads.push_back(load);
            }
            ASSERT_EQ(places.size(), tokens.size());
            EXPECT_EQ(std::set<std::size_t>(places.begin(), places.end()).size(), tokens.size());
            EXPECT_LE(std::ranges::max(loads) - std::ranges::min(loads), 256);
        }
    }
    EXPECT_EQ(indicesOfRank({5, 5, 5, 5}, 1, 2), (std::vector<std::size_t>{2, 3}))
        << "equal clips in equal parts";
}

}  // namespace
}  // namespace dailies::trainer
