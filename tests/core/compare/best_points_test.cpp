#include "core/compare/best_points.h"

#include "core/base/files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dailies::compare {
namespace {

class BestPointsTest : public testing::Test {
protected:
    /// Logs the values of one metric at steps 10, 20, …
    void log(const std::string& key, const std::vector<double>& values) {
        tracking::Run run;
        run.id = m_id;
        run.name = "r";
        run.experimentId = m_store.ensureExperiment("e");
        run.startMs = 1000;
        m_store.createRun(run);
        std::vector<events::Event> events;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto step = static_cast<std::int64_t>(10 * (i + 1));
            events.push_back(
                {++m_seq, 1, 1000.0 + static_cast<double>(i), events::Metrics{step, {{key, values[i]}}}});
        }
        m_store.ingest(m_id, events, m_seq * 100);
    }

    std::optional<tracking::MetricPoint> best(const std::string& key, const Goals& goals = {}) {
        const auto all = bestPoints(m_store, {m_id}, goals);
        const auto found = all.find({m_id, key});
        return found == all.end() ? std::nullopt : std::optional(found->second);
    }

    TemporaryFolder m_folder;
    tracking::Store m_store{m_folder.path() / "s.db"};
    std::string m_id = std::string(32, 'a');
    std::int64_t m_seq = 0;
};

TEST_F(BestPointsTest, FindsOneSpikeAmongManyPointsWithItsStep) {
    std::vector<double> values;
    for (int i = 0; i < 20'000; ++i) values.push_back(1 + std::sin(i));
    values[13'337] = -5;
    log("loss", values);
    const auto found = best("loss");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->step, 133'380);
    EXPECT_EQ(found->value, -5);
}

TEST_F(BestPointsTest, TakesTheEarliestOfEqualPointsAndNoNaNOrInfinity) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    log("adherence", {nan, 0.5, 0.9, infinity, 0.9, 0.1});
    const auto found = best("adherence");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->step, 30);
    EXPECT_EQ(found->value, 0.9);
}

TEST_F(BestPointsTest, FollowsTheSweepsGoal) {
    log("score", {3, 1, 2});
    EXPECT_EQ(best("score")->step, 10);
    EXPECT_EQ(best("score", {{"score", sweep::Goal::Minimize}})->step, 20);
}

TEST_F(BestPointsTest, HasNothingForACurveWithoutAFiniteValue) {
    log("loss", {std::numeric_limits<double>::quiet_NaN()});
    EXPECT_FALSE(best("loss"));
}

}  // namespace
}  // namespace dailies::compare
