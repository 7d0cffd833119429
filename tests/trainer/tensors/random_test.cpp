#include "trainer/tensors/random.h"

#include "trainer/tensors/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace dailies::trainer {
namespace {

using Words = std::array<std::uint32_t, 4>;

TEST(Philox, GivesTheNumbersOfItsPaper) {
    // the known-answer vectors of Random123, whose counter and key are 0 and all ones
    EXPECT_EQ(philox(0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Random, GivesTheSameNumbersForAKeyAndOthersForAnother) {
    Random once(7), again(7), other(8);
    const auto first = once.next();
    EXPECT_EQ(again.next(), first);
    EXPECT_NE(other.next(), first);
    std::set<std::uint64_t> drawn{first};
    for (int i = 0; i < 1000; ++i) drawn.insert(once.next());
    EXPECT_EQ(drawn.size(), 1001U);
}

TEST(Random, KeysDifferInEachOfTheirParts) {
    const auto key = randomKey(1, Stream::noise, 2, 3);
    EXPECT_NE(randomKey(2, Stream::noise, 2, 3), key);
    EXPECT_NE(randomKey(1, Stream::timestep, 2, 3), key);
    EXPECT_NE(randomKey(1, Stream::noise, 3, 3), key);
    EXPECT_NE(randomKey(1, Stream::noise, 2, 4), key);
    EXPECT_EQ(randomKey(1, Stream::noise, 2, 3), key);
}

TEST(Random, NormalNumbersHaveMeanZeroAndDeviationOne) {
    Random random(3);
    double sum = 0, squares = 0, fourth = 0;
    constexpr int kDrawn = 100'000;
    for (int i = 0; i < kDrawn; ++i) {
        const double n = random.normal();
        sum += n;
        squares += n * n;
        fourth += n * n * n * n;
    }
    EXPECT_NEAR(sum / kDrawn, 0, 0.02);
    EXPECT_NEAR(squares / kDrawn, 1, 0.03);
    EXPECT_NEAR(fourth / kDrawn, 3, 0.15);
}

}  // namespace
}  // namespace dailies::trainer
