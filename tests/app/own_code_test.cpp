#include "core/base/process.h"
#include "core/base/text.h"
#include "tests/app/own_program_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Where the code of a user's own program comes from, and that a run can be told by it.

namespace {

using namespace dailies;
using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

class OwnCode : public test::OwnProgram {
protected:
    /// What git says in the folder of the code, as somebody whose name and machine do not matter.
    std::string git(std::vector<std::string> words) const {
        words.insert(words.begin(), {"git", "-c", "user.name=ada", "-c", "user.email=ada@lab"});
        const auto answer = runProcess(words, {.folder = code()});
        EXPECT_TRUE(answer.ok()) << answer.err;
        return std::string(trim(answer.out));
    }
    /// A repository of what is in the folder now.
    std::string commit(const std::string& message) const {
        if (!fs::exists(code() / ".git")) git({"init", "-q", "-b", "main"});
        git({"add", "-A"});
        git({"commit", "-q", "-m", message});
        return git({"rev-parse", "HEAD"});
    }
    std::string address() const { return "file://" + code().string(); }
};

TEST_F(OwnCode, ExactlyThisAgainRunsTheVeryCodeThatRanThen) {
    const std::string sweep = write("sweep.yaml",
                                    "program: train.py\ncommand: [python3, \"${program}\"]\n"
                                    "name: again\nresources: {memory: 100M}\n");
    write("train.py", "print('the first')\n");
    ASSERT_EQ(launch({sweep}).status, 0);
    write("train.py", "print('the second')\n");
    const auto second = launch({sweep});
    EXPECT_THAT(second.err, HasSubstr("Uploading"));
    EXPECT_THAT(launch({sweep}).err, testing::Not(HasSubstr("Uploading"))) << "it is there already";
    const Json runs = s_dailies->json({"runs", "--sweep", "again"});
    ASSERT_GE(runs.size(), 1u);
    const auto first = std::ranges::min_element(
        runs, {}, [](const Json& run) { return run.at("start_time").get<std::int64_t>(); });
    const auto fork = s_dailies->run({"fork", first->at("run_id")});
    EXPECT_EQ(fork.status, 2);
    EXPECT_THAT(fork.err, HasSubstr("is one of train.py"));
    const auto again =
        s_dailies->run({"launch", "--again", first->at("run_id"), "--wait", "--format", "json"});
    ASSERT_EQ(again.status, 0) << again.err;
    const Json repeated = Json::parse(again.out).at(0);
    EXPECT_EQ(repeated.at("status"), "FINISHED");
    EXPECT_THAT(s_dailies->run({"logs", repeated.at("run_id")}).out, HasSubstr("the first"));
}

TEST_F(OwnCode, ItsCodeMayLieOnTheCluster) {
    const std::string sweep = write("elsewhere/sweep.yaml", test::kMinSnrSweep);
    const auto answer = launch({sweep, "--code", "cluster:" + code().string()});
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, testing::Not(HasSubstr("Uploading")));
    const Json run = Json::parse(answer.out).at(0);
    EXPECT_EQ(Json::parse(readFile(folderOf(run) / "seen.json")).at("cwd"), fs::canonical(code()).string());
    const auto absent = launch({sweep, "--code", "cluster:/no/such"});
    EXPECT_EQ(absent.status, 2);
    EXPECT_THAT(absent.err, HasSubstr("there is no folder /no/such on cluster 'sandbox'"));
}

TEST_F(OwnCode, EachRunGetsTheProgramsOwnConfigurationFileWithItsValues) {
    write("train.py",
          "import os, sys, tomllib\nwith open(sys.argv[1], 'rb') as file: config = tomllib.load(file)\n"
          "assert config['model']['type'] == 'wan' and config['epochs'] == 3, config\n"
          "assert config['output_dir'] == os.environ['DAILIES_RUN_DIR'] + '/out', config\n"
          "print('step: 1 rate:', config['optimizer']['lr'])\n");
    write("examples/wan.toml",
          "output_dir = '/data'\nepochs = 100\n[model]\ntype = 'wan'\n[optimizer]\nlr = 2e-5\n");
    const std::string sweep = write(
        "sweep.yaml",
        "program: train.py\ncommand: [python3, \"${program}\", \"${config_file}\"]\nname: toml\n"
        "config_file: examples/wan.toml\nparameters:\n  optimizer.lr: {values: [1e-5, 1e-4]}\n"
        "  epochs: {value: 3}\n  output_dir: {value: \"${run_dir}/out\"}\n  optimizer.typo: {value: 1}\n"
        "resources: {memory: 100M, parallel_runs: 2}\n");
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("examples/wan.toml has no optimizer.typo; it is added there."));
    const Json runs = Json::parse(answer.out);
    EXPECT_EQ(runOf(runs, "optimizer.lr", "0.0001").at("metrics").at("rate"), 1e-4);
    EXPECT_EQ(runOf(runs, "optimizer.lr", "1e-05").at("metrics").at("rate"), 1e-5);

    // from a folder of the cluster it is read there
    const auto there = launch({sweep, "--code", "cluster:" + code().string()});
    EXPECT_EQ(there.status, 0) << there.err;
    write("sweep.yaml",
          "program: train.py\ncommand: [python3, \"${program}\", \"${config_file}\"]\n"
          "config_file: examples/none.toml\n");
    EXPECT_THAT(launch({sweep}).err, HasSubstr("config_file: there is no examples/none.toml in "));
    EXPECT_THAT(launch({sweep, "--code", "cluster:" + code().string()}).err,
                HasSubstr("examples/none.toml could not be read on cluster 'sandbox'"));
}

TEST_F(OwnCode, WhatIsNoCodeIsNotUploaded) {
    ASSERT_EQ(runProcess({"git", "init", "-q"}, {.folder = code()}).exitCode, 0);
    write(".gitignore", "data/\n");
    write("data/train.bin", std::string(1 << 20, 'x'));
    const auto answer = launch({(code() / "sweep.yaml").string()});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const fs::path there = Json::parse(answer.out).at(0).at("tags").at("dailies.code").get<std::string>();
    EXPECT_TRUE(fs::exists(there / "helpers.py"));
    EXPECT_FALSE(fs::exists(there / "data"));
    EXPECT_FALSE(fs::exists(there / ".git"));
}

TEST_F(OwnCode, ARepositoryIsClonedOnTheClusterAtWhatWasNamed) {
    write("sub/train.py", "print('the first', end='')\n");
    const std::string first = commit("first");
    git({"tag", "v1"});
    write("sub/train.py", "print('the second')\n");
    const std::string second = commit("second");
    const std::string sweep = (m_folder.path() / "sweep.yaml").string();
    writeFileAtomically(sweep,
                        "program: train.py\ncommand: [python3, \"${program}\"]\nname: cloned\n"
                        "code: {git: \"" +
                            address() +
                            "\", ref: v1, folder: sub}\n"
                            "resources: {memory: 100M}\n");
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("Cloning " + address() + " at v1 on the cluster"));
    const Json run = Json::parse(answer.out).at(0);
    EXPECT_THAT(s_dailies->run({"logs", run.at("run_id")}).out, HasSubstr("the first"));
    EXPECT_EQ(run.at("tags").at("mlflow.source.git.commit"), first);
    EXPECT_EQ(run.at("tags").at("mlflow.source.git.repoURL"), address());
    const fs::path folder = run.at("tags").at("dailies.code").get<std::string>();
    EXPECT_EQ(folder.filename(), "sub");
    EXPECT_EQ(folder.parent_path().filename(), first);

    // the branch's end where nothing is named, a commit by its beginning
    const auto newest = launch({sweep, "--code", "git+" + address() + "#subdirectory=sub"});
    ASSERT_EQ(newest.status, 0) << newest.err;
    EXPECT_EQ(Json::parse(newest.out).at(0).at("tags").at("mlflow.source.git.commit"), second);
    const auto early =
        launch({sweep, "--code", "git+" + address() + "@" + first.substr(0, 9) + "#subdirectory=sub"});
    ASSERT_EQ(early.status, 0) << early.err;
    EXPECT_EQ(Json::parse(early.out).at(0).at("tags").at("dailies.code"), folder.string());

    // exactly this again, also after the branch went on and the clone was removed
    fs::remove_all(folder.parent_path());
    const auto again = s_dailies->run({"launch", "--again", run.at("run_id"), "--wait", "--format", "json"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_THAT(s_dailies->run({"logs", Json::parse(again.out).at(0).at("run_id")}).out,
                HasSubstr("the first"));
    for (const auto& entry : fs::directory_iterator(folder.parent_path().parent_path()))
        EXPECT_FALSE(entry.path().filename().string().starts_with("clone.")) << entry.path();
}

TEST_F(OwnCode, AnInstalledProgramStartsInTheRunsFolder) {
    const std::string sweep = (m_folder.path() / "sweep.yaml").string();
    writeFileAtomically(
        sweep,
        "command: [python3, -m, timeit, -n, 1, -s, \"import os\", "
        "\"print('started in', os.getcwd())\"]\nname: installed\nresources: {memory: 100M}\n");
    const auto answer = launch({sweep});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const Json run = Json::parse(answer.out).at(0);
    EXPECT_EQ(run.at("status"), "FINISHED");
    EXPECT_FALSE(run.at("tags").contains("dailies.code"));
    EXPECT_EQ(run.at("tags").at("dailies.program"), "timeit");
    EXPECT_THAT(s_dailies->run({"logs", run.at("run_id")}).out,
                HasSubstr("started in " + fs::canonical(folderOf(run)).string()));
    const auto again = s_dailies->run({"launch", "--again", run.at("run_id"), "--wait", "--format", "json"});
    EXPECT_EQ(again.status, 0) << again.err;

    writeFileAtomically(sweep, "command: [bash, run.sh]\nresources: {memory: 100M}\n");
    const auto absent = launch({sweep});
    EXPECT_EQ(absent.status, 2);
    EXPECT_THAT(absent.err, HasSubstr("code: found nothing, expected where bash is to be started."));
}

TEST_F(OwnCode, WhatDiffersInTheCodeOfTwoRunsIsShownAsADiff) {
    const std::string sweep = write("sweep.yaml",
                                    "program: train.py\ncommand: [python3, \"${program}\"]\nname: code\n"
                                    "resources: {memory: 100M}\n");
    write("train.py", "import helpers\n--- = 1\n");
    const std::string before = Json::parse(launch({sweep}).out).at(0).at("run_id");
    write("train.py", "import helpers\nprint('\x1b[31mnow')\n");
    write("new file.py", "NEW = 1\n");
    write("weights.bin", std::string("\0\1", 2));
    const std::string after = Json::parse(launch({sweep}).out).at(0).at("run_id");

    const auto shown = s_dailies->run({"compare", before, after, "--code"});
    ASSERT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out,
                AllOf(HasSubstr("--- a/train.py\n+++ b/train.py\n@@ -1,2 +1,2 @@\n import helpers\n"
                                "---- = 1\n+print('"),
                      HasSubstr("--- a/new file.py\n+++ b/new file.py\n@@ -0,0 +1 @@\n+NEW = 1\n"),
                      HasSubstr("Binary file weights.bin differs\n")));
    EXPECT_THAT(shown.out, testing::Not(testing::AnyOf(HasSubstr("helpers.py"), HasSubstr("\x1b"))));
    const Json json = s_dailies->json({"compare", before, after, "--code", "--reference", after});
    EXPECT_EQ(json.at("reference"), after);
    EXPECT_THAT(json.at("code").at(0).at("difference").get<std::string>(), HasSubstr("-NEW = 1\n"));

    const std::string again = Json::parse(launch({sweep}).out).at(0).at("run_id");
    const auto same = s_dailies->run({"compare", after, again, "--code"});
    EXPECT_EQ(same.out, "");
    EXPECT_THAT(same.err, HasSubstr("is the same."));

    const Json compared = s_dailies->json({"compare", before, after});
    for (const Json& row : compared.at("rows"))
        if (row.at("key") == "dailies.code") fs::remove_all(row.at("values").at(1).get<std::string>());
    const auto gone = s_dailies->run({"compare", before, after, "--code"});
    EXPECT_EQ(gone.status, 2);
    EXPECT_THAT(gone.err, HasSubstr("is gone from cluster 'sandbox'"));
}

TEST_F(OwnCode, AFolderThatRunsUsedAsItWasTellsNoDifference) {
    const std::string sweep = write("sweep.yaml",
                                    "program: train.py\ncommand: [python3, \"${program}\"]\n"
                                    "resources: {memory: 100M}\n");
    write("train.py", "print(1)\n");
    std::vector<std::string> ids;
    for (int i = 0; i < 2; ++i)
        ids.push_back(
            Json::parse(launch({sweep, "--code", "cluster:" + code().string()}).out).at(0).at("run_id"));
    const auto answer = s_dailies->run({"compare", ids[0], ids[1], "--code"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("as it was then, and what it held is not known"));
}

TEST_F(OwnCode, ARepositoryThatCannotBeClonedSaysWhy) {
    commit("first");
    const std::string sweep = write("sweep.yaml", test::kMinSnrSweep);
    const auto before = s_dailies->json({"runs"}).size();
    const auto noRef = launch({sweep, "--code", "git+" + address() + "@v9"});
    EXPECT_EQ(noRef.status, 2);
    EXPECT_THAT(noRef.err,
                AllOf(HasSubstr(" at v9 could not be cloned on cluster 'sandbox': "), HasSubstr("v9")));
    const auto noCommit = launch({sweep, "--code", "git+" + address() + "@0123456789"});
    EXPECT_EQ(noCommit.status, 2);
    EXPECT_THAT(noCommit.err, HasSubstr("at 0123456789 could not be cloned"));
    const auto noRepository = launch({sweep, "--code", "git+file:///no/such"});
    EXPECT_EQ(noRepository.status, 2);
    EXPECT_THAT(noRepository.err, AllOf(HasSubstr("/no/such"), HasSubstr("Check the address")));
    const auto noFolder = launch({sweep, "--code", "git+" + address() + "#subdirectory=gone"});
    EXPECT_EQ(noFolder.status, 2);
    EXPECT_THAT(noFolder.err, HasSubstr("there is no folder gone in "));
    const auto secret = launch({sweep, "--code", "git+https://ada:hunter2@git.lab/a/b"});
    EXPECT_EQ(secret.status, 2);
    EXPECT_THAT(secret.err, AllOf(HasSubstr("password or token"), testing::Not(HasSubstr("hunter2"))));
    EXPECT_EQ(s_dailies->json({"runs"}).size(), before) << "nothing was recorded";
}

}  // namespace
