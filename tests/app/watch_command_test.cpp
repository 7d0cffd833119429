#include "tests/app/command_line_fixture.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

// `watch`: runs that nobody launched with Dailies, followed where they lie.

namespace {

using namespace dailies;
namespace fs = std::filesystem;
using testing::HasSubstr;

class WatchCommand : public test::CommandLine {
protected:
    void append(const std::string& name, const std::string& text) const {
        const fs::path file = place(name);
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::app) << text;
    }

    /// The steps of the loss that the store has.
    std::vector<std::int64_t> steps(const std::string& run) const {
        std::vector<std::int64_t> found;
        const auto answer = m_dailies.run({"metrics", run, "loss", "--format", "json"});
        if (answer.status != 0) return found;
        const Json metric = parseJson(answer.out, "dailies metrics");
        for (const auto& point : metric.at("points")) found.push_back(point.at("step"));
        return found;
    }

    bool waitForSteps(const std::string& run, std::size_t count) const {
        for (int tries = 0; tries < 100; ++tries) {
            if (steps(run).size() >= count) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return false;
    }
};

TEST_F(WatchCommand, BringsWhatIsThereAndLaterWhatIsNew) {
    append("exps/a b/metrics.csv", "step,loss\n1,0.5\n2,0.4\n");
    append("exps/wandb-less/train_log.jsonl", "{\"step\": 1, \"loss\": 0.25}\n");
    const auto first = m_dailies.run({"watch", place("exps"), "--once"});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_THAT(first.err, HasSubstr("2 runs, 2 active"));
    EXPECT_THAT(steps("a b"), testing::ElementsAre(1, 2));
    append("exps/a b/metrics.csv", "3,0.3\n");
    m_dailies.run({"watch", place("exps"), "--once"});
    EXPECT_THAT(steps("a b"), testing::ElementsAre(1, 2, 3));
    EXPECT_EQ(m_dailies.json({"runs"}).size(), 2u);
}

TEST_F(WatchCommand, KilledWhileItFollowsItLosesAndDoublesNothing) {
    append("exps/a/metrics.csv", "step,loss\n");
    int step = 0;
    for (int kills = 0; kills < 4; ++kills) {
        const auto program = m_dailies.start({"watch", place("exps"), "--no-window"});
        for (int lines = 0; lines < 40; ++lines) {
            append("exps/a/metrics.csv", std::to_string(++step) + ",0.5\n");
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        ::kill(program, SIGKILL);
        test::DailiesProgram::end(program, std::chrono::seconds(10));
    }
    m_dailies.run({"watch", place("exps"), "--once"});
    std::vector<std::int64_t> all(static_cast<std::size_t>(step));
    for (int i = 0; i < step; ++i) all[static_cast<std::size_t>(i)] = i + 1;
    EXPECT_EQ(steps("a"), all);
}

TEST_F(WatchCommand, EndsWellWhenItIsAskedTo) {
    append("exps/a/metrics.csv", "step,loss\n1,0.5\n");
    const auto program = m_dailies.start({"watch", place("exps"), "--no-window"});
    EXPECT_TRUE(waitForSteps("a", 1));
    ::kill(program, SIGTERM);
    EXPECT_EQ(test::DailiesProgram::end(program, std::chrono::seconds(10)), 0);
}

TEST_F(WatchCommand, AFolderThatIsNotThereIsRefusedWithWhatToName) {
    const auto answer = m_dailies.run({"watch", place("nowhere"), "--once"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("CLUSTER:FOLDER"));
    EXPECT_EQ(m_dailies.run({"watch", "lab:/data", "--once"}).status, 2) << "no such cluster";
}

TEST_F(WatchCommand, TakesRulesOfOutputAndClips) {
    append("exps/a/out.log", "[7] l 0.5\n");
    const auto good =
        m_dailies.run({"watch", place("exps"), "--once", "--output", R"(\[(?P<step>\d+)\] l (?P<loss>\S+))"});
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_THAT(steps("a"), testing::ElementsAre(7));
    const auto bad = m_dailies.run({"watch", place("exps"), "--once", "--output", "(?P<step>x"});
    EXPECT_EQ(bad.status, 2);
    EXPECT_THAT(bad.err, testing::AllOf(HasSubstr("--output: "), HasSubstr("missing )")));
    const auto pattern =
        m_dailies.run({"watch", place("exps"), "--once", "--clips", "{step}", "--clips", "{no}"});
    EXPECT_EQ(pattern.status, 2);
    EXPECT_THAT(pattern.err, HasSubstr("{no}"));
}

}  // namespace
