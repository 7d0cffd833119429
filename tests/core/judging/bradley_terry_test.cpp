#include "core/judging/bradley_terry.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace dailies::judging {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr Prior kNone{1e-9, 1e-9};  ///< as good as none, which would leave some strengths without a value

std::vector<Comparison> repeated(int first, int second, int wins, int ties, int losses) {
    std::vector<Comparison> made;
    for (int i = 0; i < wins; ++i) made.push_back({first, second, Winner::First});
    for (int i = 0; i < ties; ++i) made.push_back({first, second, Winner::Neither});
    for (int i = 0; i < losses; ++i) made.push_back({first, second, Winner::Second});
    return made;
}

TEST(BradleyTerry, TwoContestantsAreApartByTheLogarithmOfTheirOdds) {
    const Strengths fitted = fitStrengths(2, repeated(0, 1, 12, 0, 4), kNone);
    EXPECT_NEAR(fitted.strength[0] - fitted.strength[1], std::log(3), 1e-6);
    EXPECT_NEAR(fitted.standardErrorOfDifference(0, 1), std::sqrt(1 / 12.0 + 1 / 4.0), 1e-5)
        << "as of a logarithm of odds";
}

TEST(BradleyTerry, WithTiesTwoContestantsHaveDavidsonsClosedForm) {
    // as many parameters as outcomes, so the probabilities are the frequencies
    const Strengths fitted = fitStrengths(2, repeated(0, 1, 9, 6, 4), kNone);
    EXPECT_NEAR(fitted.strength[0] - fitted.strength[1], std::log(9.0 / 4), 1e-6);
    EXPECT_NEAR(fitted.tieWeight, 6 / std::sqrt(9.0 * 4), 1e-6);
    EXPECT_NEAR(fitted.winProbability(0, 1), 9.0 / 19, 1e-6);
    EXPECT_NEAR(fitted.tieProbability(0, 1), 6.0 / 19, 1e-6);
    EXPECT_NEAR(fitted.winProbability(1, 0), 4.0 / 19, 1e-6);
}

TEST(BradleyTerry, FrequenciesThatFollowTheModelGiveItsStrengthsBack) {
    // strengths 0, ln 2, ln 4: odds of 2 and 4, exactly met
    std::vector<Comparison> made = repeated(1, 0, 40, 0, 20);
    for (const auto& more : {repeated(2, 1, 40, 0, 20), repeated(2, 0, 48, 0, 12)})
        made.insert(made.end(), more.begin(), more.end());
    const Strengths fitted = fitStrengths(3, made, kNone);
    EXPECT_THAT(fitted.strength, ElementsAre(DoubleNear(-std::log(2), 1e-6), DoubleNear(0, 1e-6),
                                             DoubleNear(std::log(2), 1e-6)));
    EXPECT_THAT(fitted.ranking(), ElementsAre(2, 1, 0));
}

TEST(BradleyTerry, NobodyIsInfinitelyStrongerForNeverHavingLost) {
    const Strengths fitted = fitStrengths(3, repeated(0, 1, 5, 0, 0));
    EXPECT_GT(fitted.strength[0], 0.5);
    EXPECT_LT(fitted.strength[0], 3);
    EXPECT_NEAR(fitted.strength[2], 0, 0.2) << "who was never compared is average";
    EXPECT_GT(fitted.standardError(2), fitted.standardError(0)) << "and least is known of it";
}

TEST(BradleyTerry, GroupsThatNeverMetAreRelatedByThePriorAlone) {
    std::vector<Comparison> made = repeated(0, 1, 20, 0, 10);
    const auto others = repeated(2, 3, 20, 0, 10);
    made.insert(made.end(), others.begin(), others.end());
    const Strengths fitted = fitStrengths(4, made);
    EXPECT_NEAR(fitted.strength[0], fitted.strength[2], 1e-6);
    EXPECT_GT(fitted.standardErrorOfDifference(0, 2), 2 * fitted.standardErrorOfDifference(0, 1));
}

TEST(BradleyTerry, WithoutComparisonsAllAreEqualAndATieHasAThirdOfTheChances) {
    const Strengths fitted = fitStrengths(3, {});
    EXPECT_THAT(fitted.strength, ElementsAre(0, 0, 0));
    EXPECT_NEAR(fitted.tieProbability(0, 1), 1.0 / 3, 1e-6);
    EXPECT_NEAR(fitted.standardErrorOfDifference(0, 1), std::sqrt(8), 1e-6) << "two standard deviations of 2";
}

TEST(BradleyTerry, SidesAndOrderDoNotMatter) {
    const auto made = repeated(0, 1, 7, 3, 2);
    std::vector<Comparison> turned;
    for (auto it = made.rbegin(); it != made.rend(); ++it)
        turned.push_back({it->second, it->first,
                          it->winner == Winner::First    ? Winner::Second
                          : it->winner == Winner::Second ? Winner::First
                                                         : Winner::Neither});
    const Strengths one = fitStrengths(2, made), other = fitStrengths(2, turned);
    EXPECT_NEAR(one.strength[0], other.strength[0], 1e-9);
    EXPECT_NEAR(one.standardError(0), other.standardError(0), 1e-9);
}

TEST(BradleyTerry, IntervalsHoldTheTruthInNineteenOfTwentyCases) {
    const std::vector<double> truth{-0.8, -0.2, 0.1, 0.9};  // their mean is 0
    constexpr double kTieWeight = 0.6;
    constexpr int kWorlds = 400, kTimesEach = 12;
    std::mt19937_64 random(20'261'122);
    int held = 0, asked = 0;
    for (int world = 0; world < kWorlds; ++world) {
        std::vector<Comparison> made;
        for (int a = 0; a < 4; ++a)
            for (int b = a + 1; b < 4; ++b)
                for (int i = 0; i < kTimesEach; ++i) {
                    const double first = std::exp(truth[static_cast<std::size_t>(a)]),
                                 second = std::exp(truth[static_cast<std::size_t>(b)]),
                                 tie = kTieWeight * std::sqrt(first * second);
                    const double die = std::generate_canonical<double, 53>(random) * (first + second + tie);
                    made.push_back({a, b,
                                    die < first            ? Winner::First
                                    : die < first + second ? Winner::Second
                                                           : Winner::Neither});
                }
        const Strengths fitted = fitStrengths(4, made);
        for (int i = 0; i < 4; ++i, ++asked) {
            const Interval interval = fitted.interval(i);
            held += interval.low <= truth[static_cast<std::size_t>(i)] &&
                    truth[static_cast<std::size_t>(i)] <= interval.high;
        }
    }
    // 1600 intervals of 0.95: a standard deviation of 0.0055, more since four share a world
    EXPECT_NEAR(static_cast<double>(held) / asked, 0.95, 0.02);
}

}  // namespace
}  // namespace dailies::judging
