#include "remote/launch/relaunch.h"

#include "core/base/text.h"
#include "remote/job_script/script_edit.h"
#include "remote/launch/extend.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

#include <regex>

namespace dailies::remote {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tracking::RunStatus;
namespace fs = std::filesystem;

class LaunchingAgain : public SandboxTest {
protected:
    /// Three runs that were launched, with a script that a person had changed, and ended.
    LaunchPlan earlier(Cluster& cluster) {
        trainer("metric 1 0.5\nfinish");
        LaunchPlan sent = plan(cluster, 3);
        sent.script.insert(sent.script.find("#SBATCH --nodes"), "#SBATCH --nice=7\n");
        launch(cluster, sent, m_store);
        end(cluster);
        return sent;
    }
    void end(Cluster& cluster) {
        Follower follower(cluster, m_store, mirror());
        followToTheEnd(follower);
    }
    Relaunch again(Cluster& cluster, const LaunchPlan& sent, const std::optional<std::string>& run = {}) {
        return planRelaunch(cluster, m_store, {sent.sweepId, run}, [&](const sweep::Sweep&) {
            return ReadyProgram{"present", (m_files.path() / "other-trainer").string()};
        });
    }
    static std::string withoutIds(const std::string& text) {
        return std::regex_replace(text, std::regex("[0-9a-f]{32}"), "ID");
    }
};

TEST_F(LaunchingAgain, ASweepSendsTheSameScriptAndConfigsUnderNewIds) {
    Cluster cluster = connect();
    const LaunchPlan sent = earlier(cluster);
    const auto same = again(cluster, sent);
    EXPECT_THAT(same.differences, IsEmpty());
    EXPECT_EQ(withoutIds(same.plan.script), withoutIds(sent.script)) << "edits of a person included";
    ASSERT_EQ(same.plan.runs.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(same.plan.runs[i].config, sent.runs[i].config);
        EXPECT_EQ(same.plan.runs[i].name, sent.runs[i].name);
        EXPECT_NE(same.plan.runIds[i], sent.runIds[i]);
    }
    launch(cluster, same.plan, m_store);
    end(cluster);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(runOf(same.plan, i).status, RunStatus::Finished);
    EXPECT_EQ(m_store.sweeps().size(), 2u);
}

TEST_F(LaunchingAgain, OneRunOfASweepIsASweepOfItsOwn) {
    Cluster cluster = connect();
    const LaunchPlan sent = earlier(cluster);
    const auto one = again(cluster, sent, sent.runIds[1]);
    ASSERT_EQ(one.plan.runs.size(), 1u);
    EXPECT_EQ(one.plan.runs[0].config, sent.runs[1].config);
    EXPECT_THAT(one.plan.script, HasSubstr("#SBATCH --array=0\n"));
    launch(cluster, one.plan, m_store);
    end(cluster);
    EXPECT_EQ(runOf(one.plan).status, RunStatus::Finished);
    EXPECT_EQ(runOf(one.plan).params.at("seed"), "1");
    EXPECT_EQ(sweep::expand(sweep::parseSweep(m_store.sweep(one.plan.sweepId)->yaml, "again")).size(), 1u);
}

TEST_F(LaunchingAgain, ARunThatWasExtendedHasItsFirstStepsAgain) {
    Cluster cluster = connect();
    const LaunchPlan sent = earlier(cluster);
    const auto steps = sent.runs[1].config.at("steps").get<std::int64_t>();
    extendRun(cluster, m_store, sent.runIds[1], steps + 100);
    end(cluster);
    ASSERT_EQ(runOf(sent, 1).params.at("steps"), std::to_string(steps + 100));
    const auto one = again(cluster, sent, sent.runIds[1]);
    EXPECT_EQ(one.plan.runs[0].config, sent.runs[1].config);
    cluster.session().run("rm -r -- " + cluster.runFolder(sent.runIds[1]) + "\n");
    EXPECT_EQ(again(cluster, sent, sent.runIds[1]).plan.runs[0].config.at("steps"), steps);
}

TEST_F(LaunchingAgain, AnEditOfTheScriptIsSentKeptAndSentAgain) {
    trainer("metric 1 0.5\n[ \"$OF_MY_OWN\" = yes ] && finish");
    Cluster cluster = connect();
    LaunchPlan sent = plan(cluster, 2);
    std::string mine = plan(cluster, 2).script;  // as a person saw it, under another id
    const std::string was = "\nprogram=" + shellQuote((m_files.path() / "trainer").string());
    ASSERT_NE(mine.find(was), std::string::npos);
    mine.replace(
        mine.find(was), was.size(),
        "\nhere=" + shellQuote(m_files.path().string()) + "\nprogram=$here/trainer\nexport OF_MY_OWN=yes");
    sent.script = applyEdit({mine}, sent.script, s_profile.workspace);
    launch(cluster, sent, m_store);
    end(cluster);
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(runOf(sent, i).status, RunStatus::Finished) << "it ran as it was edited";
    EXPECT_EQ(m_store.sweep(sent.sweepId)->script, sent.script) << "kept with the runs";
    EXPECT_EQ(readFile(cluster.sweepFolder(sent.sweepId) + "/job.sbatch"), sent.script);
    const auto same = again(cluster, sent);
    EXPECT_THAT(same.differences, IsEmpty());
    EXPECT_THAT(same.plan.script, HasSubstr("\nprogram=$here/trainer\nexport OF_MY_OWN=yes\n"));
    launch(cluster, same.plan, m_store);
    end(cluster);
    EXPECT_EQ(runOf(same.plan).status, RunStatus::Finished);
}

TEST_F(LaunchingAgain, WhatCannotBeKeptIsSaid) {
    Cluster cluster = connect();
    const LaunchPlan sent = earlier(cluster);
    fs::copy_file(m_files.path() / "trainer", m_files.path() / "other-trainer");
    fs::remove(m_files.path() / "trainer");
    fs::remove_all(fs::path(cluster.runFolder(sent.runIds[2])));
    const auto other = again(cluster, sent);
    EXPECT_THAT(other.differences, ElementsAre(HasSubstr("folder of run seed=2 is no longer on the cluster"),
                                               HasSubstr("version present runs instead")));
    EXPECT_EQ(other.plan.runs[2].config, sent.runs[2].config) << "rebuilt from its params";
    launch(cluster, other.plan, m_store);
    end(cluster);
    EXPECT_EQ(runOf(other.plan, 2).status, RunStatus::Finished);
}

}  // namespace
}  // namespace dailies::remote
