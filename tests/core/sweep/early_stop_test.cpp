#include "core/sweep/early_stop.h"

#include "core/base/error.h"
#include "core/sweep/seeded_rng.h"
#include "core/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace dailies::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

EarlyStop rule(EarlyStop::Rule kind, std::int64_t minIter = 100, double eta = 3, bool strict = false) {
    EarlyStop made;
    made.rule = kind;
    made.minIter = minIter;
    made.eta = eta;
    made.strict = strict;
    return made;
}
constexpr auto kAsha = EarlyStop::Rule::Asha;
constexpr auto kHyperband = EarlyStop::Rule::Hyperband;

/// Runs that reached the rung at 100 one after the other with these values.
std::vector<RungProgress> climbs(const std::vector<double>& values) {
    std::vector<RungProgress> runs;
    for (std::size_t i = 0; i < values.size(); ++i)
        runs.push_back({true, {{100, 100, static_cast<std::int64_t>(i), values[i]}}});
    return runs;
}

std::vector<std::size_t> stopped(const EarlyStop& rule, const std::vector<RungProgress>& runs,
                                 Goal goal = Goal::Minimize) {
    std::vector<std::size_t> indices;
    for (const auto& decision : stopDecisions(rule, goal, runs)) indices.push_back(decision.run);
    return indices;
}

TEST(EarlyStop, RungsLieAFactorApart) {
    EXPECT_THAT(rungsOf(rule(kAsha, 100, 3), 2700), ElementsAre(100, 300, 900));
    EXPECT_THAT(rungsOf(rule(kAsha, 100, 3), 2701), ElementsAre(100, 300, 900, 2700));
    EXPECT_THAT(rungsOf(rule(kAsha, 1, 1.5), 6), ElementsAre(1, 2, 3, 5)) << "rounded, without repeats";
    EXPECT_THAT(rungsOf(rule(kAsha, 100), 50), IsEmpty());
    EarlyStop fromTheEnd;
    fromTheEnd.maxIter = 2700;
    fromTheEnd.s = 2;
    EXPECT_THAT(rungsOf(fromTheEnd, 2700), ElementsAre(300, 900)) << "W&B's max_iter with s";
}

TEST(EarlyStop, AshaJudgesARunAgainstThoseThatCameBefore) {
    EXPECT_THAT(stopped(rule(kAsha), climbs({0.5})), IsEmpty()) << "the first of all goes on";
    EXPECT_THAT(stopped(rule(kAsha), climbs({0.5, 0.6})), ElementsAre(1));
    EXPECT_THAT(stopped(rule(kAsha), climbs({0.5, 0.4, 0.3, 0.2})), IsEmpty())
        << "each was the best when it came";
    EXPECT_THAT(stopped(rule(kAsha), climbs({0.1, 0.4, 0.3, 0.2})), ElementsAre(1, 2))
        << "of four the best two go on: one and a third, rounded up";
    EXPECT_THAT(stopped(rule(kAsha, 100, 3, true), climbs({0.1, 0.4, 0.3, 0.2})), ElementsAre(1, 2, 3));
    EXPECT_THAT(stopped(rule(kAsha), climbs({0.5, 0.6}), Goal::Maximize), IsEmpty());
    EXPECT_THAT(stopped(rule(kAsha), climbs({0.6, 0.5}), Goal::Maximize), ElementsAre(1));
}

TEST(EarlyStop, HyperbandJudgesAgainstAllThatHaveCome) {
    EXPECT_THAT(stopped(rule(kHyperband), climbs({0.5, 0.4, 0.3, 0.2})), ElementsAre(0, 1));
    auto runs = climbs({0.5, 0.4, 0.3, 0.2});
    runs[0].passed.push_back({300, 300, 50, 0.1});
    EXPECT_THAT(stopped(rule(kHyperband), runs), ElementsAre(1))
        << "judged at its highest rung, where it leads";
    EXPECT_THAT(stopped(rule(kHyperband, 100, 3, true), runs), ElementsAre(0, 1, 2))
        << "strict: at every rung";
}

TEST(EarlyStop, WhatDivergedIsStoppedEvenAlone) {
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity()}) {
        const auto decisions = stopDecisions(rule(kAsha), Goal::Minimize, climbs({value}));
        ASSERT_EQ(decisions.size(), 1u);
        EXPECT_THAT(explain(decisions[0], Goal::Minimize, "loss"), HasSubstr("is not a number"));
    }
}

TEST(EarlyStop, RunsThatHaveEndedCountAndAreNotStoppedAgain) {
    auto runs = climbs({0.1, 0.9, 0.8});
    runs[1].active = false;
    EXPECT_THAT(stopped(rule(kAsha), runs), ElementsAre(2));
}

TEST(EarlyStop, SaysWhereWhyAndAgainstWhat) {
    const auto decisions = stopDecisions(rule(kHyperband), Goal::Minimize,
                                         climbs({0.20, 0.21, 0.24, 0.31, 0.4, 0.5, 0.6, 0.7, 0.8}));
    ASSERT_EQ(decisions.size(), 6u);
    EXPECT_EQ(explain(decisions[0], Goal::Minimize, "loss"),
              "Stopped early at step 100: its loss 0.31 was the 4th best of 9 runs there; the best 3 had "
              "0.24 or less.");
    const auto two = stopDecisions(rule(kAsha), Goal::Maximize, climbs({0.5, 0.4}));
    EXPECT_EQ(
        explain(two.at(0), Goal::Maximize, "adherence"),
        "Stopped early at step 100: its adherence 0.4 was the 2nd best of 2 runs there; the best had 0.5.");
}

/// A whole sweep in which runs arrive at rungs in the order of the seed, looked at every `every` arrivals.
std::set<std::size_t> stoppedInAll(const EarlyStop& how, std::uint64_t seed, std::size_t every) {
    constexpr std::size_t kRuns = 27;
    const std::vector<std::int64_t> rungs = rungsOf(how, 1000);
    std::vector<RungProgress> runs(kRuns, {true, {}});
    std::set<std::size_t> stopped;
    SeededRng random(static_cast<std::int64_t>(seed), 0, "order");
    std::size_t arrivals = 0;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // run, rung: every run's rungs in their order
    for (std::size_t run = 0; run < kRuns; ++run)
        for (std::size_t rung = 0; rung < rungs.size(); ++rung) order.emplace_back(run, rung);
    std::vector<std::uint64_t> key(kRuns);
    for (auto& k : key) k = random.next() % 1000;
    std::ranges::stable_sort(order, {}, [&](const auto& at) { return key[at.first] + 700 * at.second; });
    for (const auto& [run, rung] : order) {
        ++arrivals;
        if (!runs[run].active) continue;
        const double value = static_cast<double>(mix(seed * 1000 + run) % 100) - static_cast<double>(rung);
        runs[run].passed.push_back({rungs[rung], rungs[rung], static_cast<std::int64_t>(arrivals), value});
        if (arrivals % every != 0) continue;
        for (const auto& decision : stopDecisions(how, Goal::Minimize, runs)) {
            runs[decision.run].active = false;
            stopped.insert(decision.run);
        }
    }
    return stopped;
}

TEST(EarlyStop, AboutOneInEtaGoesOnAtEachRung) {
    double left = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        left += static_cast<double>(27 - stoppedInAll(rule(kAsha, 100, 3), seed, 1).size()) / 20;
    EXPECT_GT(left, 1) << "the best is never lost";
    EXPECT_LT(left, 9) << "of 27 runs most are stopped at rungs 100, 300 and 900";
}

TEST(EarlyStop, AskedAgainItDecidesTheSame) {
    auto runs = climbs({0.1, 0.4, 0.3, 0.2, 0.9});
    const auto first = stopped(rule(kAsha), runs);
    EXPECT_EQ(stopped(rule(kAsha), runs), first);
    for (const std::size_t run : first) runs[run].active = false;
    EXPECT_THAT(stopped(rule(kAsha), runs), IsEmpty());
    runs.push_back({true, {{100, 100, 99, 0.05}}});
    EXPECT_THAT(stopped(rule(kAsha), runs), IsEmpty())
        << "who passed is not judged again when better ones come";
}

TEST(EarlyStop, TellsHowMuchTrainingItIsExpectedToSave) {
    EXPECT_DOUBLE_EQ(expectedShare(rule(kAsha, 100, 2), 400), (100 + 100 / 2.0 + 200 / 4.0) / 400);
    EXPECT_DOUBLE_EQ(expectedShare(rule(kAsha, 500), 400), 1);
}

std::string earlyStopRefusal(const std::string& earlyStop) {
    try {
        const auto sweep = parseSweep(
            "metric: {name: loss}\nparameters: {seed: {values: [1, 2]}}\nearly_terminate: " + earlyStop +
                "\n",
            "s.yaml");
        expand(sweep);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(EarlyStop, AFileIsToldWhatItLacks) {
    EXPECT_THAT(earlyStopRefusal("{type: hyperband}"), HasSubstr("early_terminate.min_iter: found nothing"));
    EXPECT_THAT(earlyStopRefusal("{min_iter: 3}"), HasSubstr("early_terminate.type"));
    EXPECT_THAT(earlyStopRefusal("{type: median, min_iter: 3}"),
                HasSubstr("found median, expected hyperband or asha"));
    EXPECT_THAT(earlyStopRefusal("{type: asha, min_iter: 0}"), HasSubstr("min_iter"));
    EXPECT_THAT(earlyStopRefusal("{type: asha, min_iter: 9, eta: 1}"), HasSubstr("eta"));
    EXPECT_THAT(earlyStopRefusal("{type: asha, max_iter: 9}"), HasSubstr("early_terminate.s"));
    EXPECT_THAT(earlyStopRefusal("{type: asha, min_iter: 3, max_iter: 9, s: 2}"),
                HasSubstr("one of the two"));
    EXPECT_THAT(earlyStopRefusal("{type: asha, min_iter: 3, patience: 2}"), HasSubstr("patience"));
    EXPECT_EQ(earlyStopRefusal("{type: hyperband, max_iter: 27, s: 2, eta: 3, strict: true}"), "accepted");
}

TEST(EarlyStop, SurvivesBeingWritten) {
    const auto sweep = parseSweep(
        "metric: {name: loss}\nparameters: {seed: {values: [1, 2]}}\n"
        "early_terminate: {type: asha, max_iter: 27, s: 2, eta: 2.5, strict: true}\n",
        "s.yaml");
    EXPECT_EQ(parseSweep(toYaml(sweep), "again").earlyStop, sweep.earlyStop);
}

TEST(EarlyStop, NeedsAMetricToCompareBy) {
    EXPECT_THROW(
        expand(parseSweep("parameters: {seed: {values: [1]}}\nearly_terminate: {type: asha, min_iter: 3}\n",
                          "s.yaml")),
        InputError);
}

}  // namespace
}  // namespace dailies::sweep
