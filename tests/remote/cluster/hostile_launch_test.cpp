#include "core/base/text.h"
#include "core/config/schema.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <random>

// Names, params, paths and environment on their way through a real sbatch: what arrives is what was sent, and
// nothing of it is run.

namespace dailies::remote {
namespace {

using tracking::RunStatus;
namespace fs = std::filesystem;

/// What shells, sbatch and JSON each take for something.
std::string hostile(std::mt19937& random, int length) {
    static const std::vector<std::string> kPieces{"'",
                                                  "\"",
                                                  "$",
                                                  "`",
                                                  ";",
                                                  "|",
                                                  "&",
                                                  "(",
                                                  ")",
                                                  "*",
                                                  "?",
                                                  "[",
                                                  "]",
                                                  "{",
                                                  "}",
                                                  "~",
                                                  "#",
                                                  "%",
                                                  "\\",
                                                  "!",
                                                  " ",
                                                  "-",
                                                  "<",
                                                  ">",
                                                  "=",
                                                  "$(touch CANARY)",
                                                  "`touch CANARY`",
                                                  "';touch CANARY;'",
                                                  "%x",
                                                  "${HOME}",
                                                  "\\n",
                                                  "é",
                                                  "日本",
                                                  "🎬",
                                                  "a"};
    std::uniform_int_distribution<std::size_t> which(0, kPieces.size() - 1);
    std::string text = "x";
    for (int i = 0; i < length; ++i) text += kPieces[which(random)];
    return text + "x";  // ends of names and paths are trimmed on purpose
}

class HostileLaunch : public SandboxTest {};

TEST_F(HostileLaunch, WhateverItIsCalledItArrivesUnchangedAndNothingOfItRuns) {
    std::mt19937 random(7);
    std::vector<LaunchPlan> sent;
    std::vector<std::string> environments;
    std::vector<std::unique_ptr<Cluster>> clusters;
    for (int i = 0; i < 6; ++i) {
        ClusterProfile profile = s_profile;
        std::string folder = hostile(random, 12);
        std::erase_if(folder, [](char c) { return c == '\\' || c == '%'; });  // see the test below
        profile.workspace += "/" + folder;
        environments.push_back(hostile(random, 20));
        profile.setup = {"export SECRET_PATH=" + shellQuote(environments.back())};
        auto cluster = std::make_unique<Cluster>(profile, m_prompter);
        trainer("printf %s \"$SECRET_PATH\" >\"$run/environment\"\nmetric 1 0.5\nfinish");
        const fs::path program = m_files.path() / hostile(random, 12) / "trainer";
        fs::create_directories(program.parent_path());
        fs::rename(m_files.path() / "trainer", program);
        sweep::Sweep sweep = plan(*cluster).sweep;
        sweep.name = hostile(random, 30);
        sweep.experiment = hostile(random, 30);
        config::setByKey(sweep.config, "data.folder", hostile(random, 30));
        sent.push_back(planLaunch(sweep, profile, cluster->workspace(), {"test", program.string()}));
        launch(*cluster, sent.back(), m_store);
        clusters.push_back(std::move(cluster));
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
        Follower follower(*clusters[i], m_store, mirror());
        follow(
            follower, [&](auto&) { return !isActive(runOf(sent[i]).status); }, 120);
        const auto run = runOf(sent[i]);
        EXPECT_EQ(run.status, RunStatus::Finished) << run.tags.at(tracking::tag::kReason);
        const auto folder = clusters[i]->runFolder(sent[i].runIds[0]);
        EXPECT_EQ(clusters[i]->session().readAll(folder + "/environment"), environments[i]);
        const Json config = parseJson(clusters[i]->session().readAll(folder + "/config.json"), "config.json");
        EXPECT_EQ(config.at("data").at("folder"), sent[i].sweep.config.at("data").at("folder"));
        EXPECT_EQ(m_store.history(sent[i].runIds[0], "loss").size(), 1u);
    }
    for (const fs::path& place : {s_folder->path(), m_files.path(), fs::current_path()})
        for (const auto& entry : fs::recursive_directory_iterator(place))
            EXPECT_NE(entry.path().filename(), "CANARY") << entry.path();
}

TEST_F(HostileLaunch, AWorkspaceInWhichSlurmStartsNoJobIsRefusedBeforeAnythingIsSent) {
    for (const char* folder : {"/a\\b", "/50%"}) {
        ClusterProfile profile = s_profile;
        profile.workspace += folder;
        const sweep::Sweep sweep = plan(connect()).sweep;
        try {
            planLaunch(sweep, profile, profile.workspace, {"test", "/trainer"});
            ADD_FAILURE() << folder;
        } catch (const InputError& error) {
            EXPECT_NE(error.full().find("another workspace"), std::string::npos) << error.full();
        }
    }
}

}  // namespace
}  // namespace dailies::remote
