#include "core/base/files.h"
#include "core/sweep/sweep.h"
#include "tests/support/dailies_program.h"
#include "tests/support/demo_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace {

using namespace dailies;
using testing::AllOf;
using testing::HasSubstr;

/// On a store of four runs of a sweep over the learning rate.
class ForkCommand : public testing::Test {
protected:
    ForkCommand() {
        const auto demo = test::makeDemoStore(m_home.path() / "data" / "dailies",
                                              {.prompts = 1, .samples = 1, .frames = 2, .scale = 1});
        std::filesystem::rename(demo.file, m_dailies.store());
        m_run = m_dailies.json({"runs", "--order-by", "number(params.optimizer.lr) DESC"})[0].at("name");
    }

    TemporaryFolder m_home{"dailies-fork"};
    test::DailiesProgram m_dailies{m_home.path()};
    std::string m_run;  ///< the name of the one with the greatest rate
};

TEST_F(ForkCommand, PrintsASweepFileOfThatRun) {
    const auto run = m_dailies.json({"runs", "--filter", "name = '" + m_run + "'"})[0];
    const auto answer = m_dailies.run({"fork", m_run});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto fork = sweep::parseSweep(answer.out, "fork.yaml");
    EXPECT_EQ(fork.name, "fork of " + m_run);
    const auto runs = sweep::expand(fork);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].config.at("optimizer").at("lr").get<double>(),
              std::stod(run.at("params").at("optimizer.lr").get<std::string>()));
}

TEST_F(ForkCommand, ChangesKeysAndWritesAFileThatLaunchTakes) {
    const auto file = m_home.path() / "a fork.yaml";
    const std::vector<std::string> words{"fork",  m_run,        "--set",  "optimizer.lr=0.0125",
                                         "--set", "seed=7",     "--name", "warmer",
                                         "--to",  file.string()};
    const auto answer = m_dailies.run(words);
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr("dailies launch '" + file.string() + "'"));
    const auto fork = sweep::parseSweep(readFile(file), file.string());
    EXPECT_EQ(fork.name, "warmer");
    EXPECT_EQ(fork.config.at("optimizer").at("lr"), 0.0125);
    EXPECT_EQ(fork.config.at("seed"), 7);

    const auto again = m_dailies.run(words);
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, AllOf(HasSubstr("exists already"), HasSubstr("--force")));
    auto forced = words;
    forced.emplace_back("--force");
    EXPECT_EQ(m_dailies.run(forced).status, 0);
}

TEST_F(ForkCommand, RefusesWhatNoLaunchWouldTake) {
    const auto told = [&](const std::string& change) {
        const auto answer = m_dailies.run({"fork", m_run, "--set", change});
        EXPECT_EQ(answer.status, 2) << answer.out;
        EXPECT_EQ(answer.out, "");
        return answer.err;
    };
    EXPECT_THAT(told("optimizer.lrr=1"), HasSubstr("did you mean optimizer.lr?"));
    EXPECT_THAT(told("optimizer.lr=fast"), AllOf(HasSubstr("optimizer.lr"), HasSubstr("found \"fast\"")));
    EXPECT_THAT(told("optimizer.lr"), HasSubstr("expected KEY=VALUE"));
    EXPECT_THAT(told("model.heads=5"), HasSubstr("multiple of model.heads"));
    EXPECT_NE(m_dailies.run({"fork", "no such run"}).status, 0);
}

}  // namespace
