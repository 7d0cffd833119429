#include "core/compare/best_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

namespace dailies::compare {
namespace {

class BestRunTest : public testing::Test {
protected:
    void add(const std::map<std::string, double>& metrics) {
        auto& run = m_runs.emplace_back();
        run.id = std::to_string(m_runs.size());
        for (const auto& [key, value] : metrics) run.metrics[key] = {100, 1, value};
    }
    std::optional<BestRun> best(const BestPoints& points = {}, const Goals& goals = {}) const {
        std::vector<const tracking::Run*> runs;
        for (const auto& run : m_runs) runs.push_back(&run);
        return bestRun(runs, points, goals);
    }
    std::deque<tracking::Run> m_runs;
};

TEST_F(BestRunTest, WhatTheSweepIsSearchedForDecides) {
    add({{"loss", 0.1}, {"adherence", 0.5}, {"mine", 1}});
    add({{"loss", 0.2}, {"adherence", 0.9}, {"mine", 2}});
    add({{"loss", 0.3}, {"adherence", 0.7}, {"mine", 0}});
    EXPECT_EQ(best()->metric, "adherence");
    EXPECT_EQ(best()->run, 1U);
    const auto lowest = best({}, {{"mine", sweep::Goal::Minimize}});
    EXPECT_EQ(lowest->metric, "mine");
    EXPECT_EQ(lowest->run, 2U);
}

TEST_F(BestRunTest, ABestPointCountsBeforeTheLastOne) {
    add({{"loss", 0.3}});
    add({{"loss", 0.2}});
    EXPECT_EQ(best()->run, 1U);
    EXPECT_EQ(best({{{"1", "loss"}, {50, 1, 0.05}}})->run, 0U);
}

TEST_F(BestRunTest, NoRunIsTheBestWithoutAnythingToJudgeBy) {
    add({{"lr", 0.1}, {"loss", std::nan("")}});
    add({{"lr", 0.2}, {"loss", 0.5}});
    EXPECT_FALSE(best()) << "one value has nothing to be better than, and a learning rate judges nothing";
    add({{"loss", 0.5}});
    EXPECT_FALSE(best()) << "equally good";
}

}  // namespace
}  // namespace dailies::compare
