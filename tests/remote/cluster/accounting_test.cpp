#include "core/base/process.h"
#include "core/base/text.h"
#include "remote/sandbox/sandbox.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

// What a cluster with accounting tells on top: slurmdbd on MariaDB, as sites have it.

namespace dailies::remote {
namespace {

using testing::HasSubstr;

class AccountingTest : public testing::Test {
protected:
    void SetUp() override {
        if (!findProgram("slurmdbd") || !findProgram("mariadbd"))
            GTEST_SKIP() << "slurmdbd and mariadbd are not installed";
        sandbox::Options options;
        options.folder = m_folder.path() / "s";
        options.accounting = true;
        m_profile = *sandbox::up(options).profile;
    }
    void TearDown() override { sandbox::down(m_folder.path() / "s"); }

    template <typename Condition>
    static bool await(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
        return true;
    }

    TemporaryFolder m_folder{"accounting"};
    ClusterProfile m_profile;
    Nobody m_prompter;
};

TEST_F(AccountingTest, TheHistoryTellsHowJobsEndedAndAccountsAreKnown) {
    Cluster cluster(m_profile, m_prompter);
    EXPECT_TRUE(cluster.facts().accounting);
    auto& scheduler = cluster.scheduler();
    EXPECT_THAT(scheduler.accounts(), testing::Contains("sandbox"));
    const auto submit = [&](const std::string& words, const std::string& body) {
        const auto sent =
            cluster.session().run("cd /tmp && printf '#!/bin/sh\\n%s\\n' " + shellQuote(body) +
                                  " | sbatch --parsable --output=/dev/null --mem=50M " + words + "\n");
        EXPECT_TRUE(sent.ok()) << sent.err;
        return std::string(trim(sent.out));
    };
    const std::string good = submit("--job-name=good", "true");
    const std::string bad = submit("--job-name='b|a\x1b d' --comment=why --account=sandbox", "exit 3");
    const std::string array = submit("--job-name=many --array=1-2", "true");
    std::vector<slurm::QueuedJob> history;
    const auto find = [&](const std::string& id) {
        return std::ranges::find_if(history, [&](const auto& job) { return job.status.job == id; });
    };
    ASSERT_TRUE(await([&] {
        history = scheduler.history(1);
        return history.size() == 4;
    })) << history.size();
    ASSERT_NE(find(bad), history.end());
    EXPECT_EQ(find(bad)->status.state, "FAILED");
    EXPECT_EQ(find(bad)->status.exitCode, "3:0");
    EXPECT_EQ(find(bad)->name, "b|a\x1b d");
    EXPECT_EQ(find(bad)->status.comment, "why");
    EXPECT_EQ(find(bad)->account, "sandbox");
    EXPECT_GT(find(bad)->status.endTime, 0);
    EXPECT_THAT(slurm::explain(find(bad)->status), HasSubstr("exit code 3"));
    ASSERT_NE(find(good), history.end());
    EXPECT_EQ(find(good)->status.state, "COMPLETED");
    EXPECT_NE(find(array + "_2"), history.end());
}

}  // namespace
}  // namespace dailies::remote
