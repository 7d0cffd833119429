#include "core/tracking/run_tags.h"
#include "core/tracking/store.h"
#include "tests/app/command_line_fixture.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

// The command line as scripts rely on it: exit statuses, and nothing but the answer on standard output.

namespace {

using namespace dailies;
using testing::HasSubstr;
using testing::StartsWith;

using test::CommandLine;

TEST_F(CommandLine, WrongWordsEndWithTwoAndAnEmptyStandardOutput) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"runz"},
                                                  {"runs", "--format", "xml"},
                                                  {"launch"},
                                                  {"sandbox"},
                                                  {"cluster"},
                                                  {"--page", "nowhere"}}) {
        const auto answer = m_dailies.run(words);
        EXPECT_EQ(answer.status, 2) << join(words, " ");
        EXPECT_EQ(answer.out, "") << join(words, " ");
        EXPECT_NE(answer.err, "");
    }
}

TEST_F(CommandLine, HelpIsTheAnswerWhenItIsAskedFor) {
    const auto answer = m_dailies.run({"--help"});
    EXPECT_EQ(answer.status, 0);
    for (const char* command :
         {"sandbox", "clusters", "cluster", "launch", "runs", "metrics", "logs", "cancel", "pull"})
        EXPECT_THAT(answer.out, HasSubstr(command));
}

TEST_F(CommandLine, WithoutAnyRunTheAnswerSaysWhatToDo) {
    EXPECT_THAT(m_dailies.run({"runs"}).out, HasSubstr("dailies launch"));
    EXPECT_EQ(m_dailies.json({"runs"}), Json::array());
}

TEST_F(CommandLine, AMisspeltSweepExperimentOrDatabaseIsNotAnEmptyOne) {
    fillStore();
    const auto sweep = m_dailies.json({"runs"}).at(0).at("tags").at("dailies.sweep_name").get<std::string>();
    EXPECT_EQ(m_dailies.json({"runs", "--sweep", sweep}).size(), 4u);
    const auto misspelt = m_dailies.run({"runs", "--sweep", sweep + "x"});
    EXPECT_EQ(misspelt.status, 2);
    EXPECT_THAT(misspelt.err, HasSubstr(sweep + "?"));
    EXPECT_EQ(m_dailies.run({"runs", "--experiment", "nowhere"}).status, 2);
    EXPECT_EQ(m_dailies.run({"runs", "--store", "/nowhere/dailies.db"}).status, 2);
    EXPECT_EQ(m_dailies.run({"runs", "--max", "-3"}).status, 2);
}

TEST_F(CommandLine, RunsOfSeveralSweepsAreListedWithTheirSweep) {
    fillStore();
    const auto sweep = m_dailies.json({"runs"}).at(0).at("tags").at("dailies.sweep_name").get<std::string>();
    EXPECT_THAT(m_dailies.run({"runs"}).out, testing::Not(HasSubstr(" sweep "))) << "it is the same of all";
    const auto file = m_home.path() / "another.csv";
    writeFileAtomically(file, "step,loss\n1,0.5\n");
    ASSERT_EQ(m_dailies.run({"import", file.string()}).status, 0);
    EXPECT_THAT(m_dailies.run({"runs"}).out,
                testing::AllOf(HasSubstr(" sweep "), HasSubstr(" " + sweep + " ")));
}

TEST_F(CommandLine, ArchivedRunsAreListedApart) {
    fillStore();
    const auto id = m_dailies.json({"runs"}).at(0).at("run_id").get<std::string>();
    EXPECT_THAT(m_dailies.run({"runs", "--archived"}).out, HasSubstr("No run"));
    ASSERT_EQ(m_dailies.run({"archive", id}).status, 0);
    const Json archived = m_dailies.json({"runs", "--archived"});
    ASSERT_EQ(archived.size(), 1u);
    EXPECT_EQ(archived[0].at("run_id"), id);
    EXPECT_EQ(m_dailies.json({"runs"}).size(), 3u);
}

TEST_F(CommandLine, TheMorningIsOverWhenAllWasSeen) {
    fillStore();
    EXPECT_GT(m_dailies.json({"morning", "--seen"}).at("unseen"), 0);
    EXPECT_EQ(m_dailies.json({"morning"}).at("unseen"), 0);
}

TEST_F(CommandLine, AFileThatIsNoClipFailsItsCheck) {
    const auto file = m_home.path() / "notes.mp4";
    writeFileAtomically(file, "not a video");
    EXPECT_EQ(m_dailies.run({"check", file.string()}).status, 1);
}

TEST_F(CommandLine, OfSweepsOfOneNameTheOneThatHasNotEndedIsCancelledAndOfSeveralNone) {
    const auto ofLetter = [](char letter) { return std::string(32, letter); };
    {
        tracking::Store store(m_dailies.store());
        for (const char letter : {'a', 'b'}) {
            const auto id = ofLetter(letter);
            tracking::SweepRecord sweep;
            sweep.id = id;
            sweep.name = "twice";
            sweep.cluster = "nowhere";
            sweep.experimentId = store.ensureExperiment("e");
            tracking::Run run;
            run.id = ofLetter(letter == 'a' ? 'c' : 'd');
            run.experimentId = sweep.experimentId;
            run.status = tracking::RunStatus::Scheduled;
            run.tags = {{tracking::tag::kSweep, id}, {tracking::tag::kTask, "0"}};
            store.createSweep(sweep, {run});
        }
    }
    const auto several = m_dailies.run({"cancel", "twice"});
    EXPECT_EQ(several.status, 2);
    EXPECT_THAT(several.err,
                testing::AllOf(HasSubstr("aaaaaaaa ("), HasSubstr("bbbbbbbb ("), HasSubstr("1 run")));
    tracking::Store(m_dailies.store()).setStatus(ofLetter('c'), tracking::RunStatus::Finished);
    EXPECT_THAT(m_dailies.run({"cancel", "twice"}).err, HasSubstr("nowhere")) << "the other one is meant";
    tracking::Store(m_dailies.store()).setStatus(ofLetter('d'), tracking::RunStatus::Killed);
    const auto none = m_dailies.run({"cancel", "twice"});
    EXPECT_EQ(none.status, 0);
    EXPECT_THAT(none.err, HasSubstr("no unfinished run"));
}

TEST_F(CommandLine, WhatIsLaunchedAgainTakesNoOtherWordsOfALaunch) {
    for (const std::vector<std::string>& other :
         {std::vector<std::string>{"--skip-repeats"}, {"--after", "x"}, {"--cluster", "x"}, {"--chain"}}) {
        std::vector<std::string> words{"launch", "--again", "x"};
        words.insert(words.end(), other.begin(), other.end());
        const auto answer = m_dailies.run(words);
        EXPECT_EQ(answer.status, 2);
        EXPECT_THAT(answer.err, HasSubstr(other.front()));
    }
}

#ifdef DAILIES_WITH_UI
TEST_F(CommandLine, TheDesktopProgramClosesWhenItIsAskedToEnd) {
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    const pid_t desktop = m_dailies.start({});
    while (!std::filesystem::exists(m_dailies.store()))
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ::kill(desktop, SIGTERM);
    int status = -1;
    for (int tries = 0; tries < 200 && ::waitpid(desktop, &status, WNOHANG) == 0; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (status == -1) ::kill(desktop, SIGKILL);
    EXPECT_EQ(status, 0) << "its own end, with what it had to write written";
}

TEST_F(CommandLine, WithoutASessionNothingButTheAnswerIsSaid) {
    fillStore();
    const auto picture = (m_home.path() / "run.png").string();
    const auto answer =
        m_dailies.run({"screenshot", "run", picture, "--size", "800x600"}, "XDG_RUNTIME_DIR=");
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_EQ(answer.err, picture + " (800×600)\n");
}
#endif

TEST_F(CommandLine, RunsAreListedAsJsonWithMlflowsMeanings) {
    fillStore();
    const Json runs = m_dailies.json({"runs", "--order-by", "metrics.adherence DESC", "--max", "2"});
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_GE(runs[0].at("metrics").at("adherence"), runs[1].at("metrics").at("adherence"));
    EXPECT_EQ(runs[0].at("status"), "FINISHED");
    EXPECT_TRUE(runs[0].at("params").contains("optimizer.lr"));
    EXPECT_TRUE(runs[0].at("start_time").is_number_integer());
}

TEST_F(CommandLine, TheTableShowsWhatDiffersAndTheMetrics) {
    fillStore();
    const auto lines = split(m_dailies.run({"runs"}).out, '\n');
    ASSERT_GE(lines.size(), 5u);
    EXPECT_THAT(lines[0], testing::AllOf(StartsWith("run "), HasSubstr(" lr "), HasSubstr("adherence"),
                                         HasSubstr("loss")));
}

TEST_F(CommandLine, CsvHasOneLineARunAndOneFieldAColumn) {
    fillStore();
    const auto lines = split(m_dailies.run({"runs", "--format", "csv"}).out, '\n');
    ASSERT_EQ(lines.size(), 6u) << "a header, four runs, and the end of the last line";
    EXPECT_THAT(lines[0], StartsWith("run_id,name,status,start_time,end_time,params."));
    for (std::size_t i = 1; i < 5; ++i)
        EXPECT_EQ(split(lines[i], ',').size(), split(lines[0], ',').size()) << lines[i];
}

TEST_F(CommandLine, AnUnknownRunOrMetricIsNamedWithWhatThereIs) {
    fillStore();
    const auto run = m_dailies.run({"metrics", "nobody", "loss"});
    EXPECT_EQ(run.status, 2);
    EXPECT_THAT(run.err, HasSubstr("nobody"));
    const std::string id = m_dailies.json({"runs"})[0].at("run_id");
    const auto metric = m_dailies.run({"metrics", id.substr(0, 10), "lozz"});
    EXPECT_EQ(metric.status, 2);
    EXPECT_THAT(metric.err, HasSubstr("adherence"));
    EXPECT_EQ(m_dailies.run({"metrics", id.substr(0, 10), "loss", "--format", "csv"}).status, 0);
}

TEST_F(CommandLine, OrderingByNonsenseSaysWhatIsAccepted) {
    fillStore();
    const auto answer = m_dailies.run({"runs", "--order-by", "colour"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("metrics.KEY"));
}

TEST_F(CommandLine, ClustersAreKeptPrivateAndListed) {
    const auto added =
        m_dailies.run({"clusters", "add", "lab", "--host", "login.example.org", "--user", "ada"});
    ASSERT_EQ(added.status, 0) << added.err;
    const Json clusters = m_dailies.json({"clusters", "list"});
    ASSERT_EQ(clusters.size(), 1u);
    EXPECT_EQ(clusters[0].at("host"), "login.example.org");
    const auto file = m_home.path() / "config/dailies/clusters.json";
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(file).permissions(), perms::owner_read | perms::owner_write);
    EXPECT_EQ(m_dailies.run({"clusters", "remove", "lab"}).status, 0);
    EXPECT_EQ(m_dailies.run({"clusters", "test", "lab"}).status, 2);
}

TEST_F(CommandLine, AHostThatReadsAsAnOptionIsRefusedWhenItIsAdded) {
    const auto answer = m_dailies.run({"clusters", "add", "bad", "--host=-oProxyCommand=id"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("cannot be a host name"));
    EXPECT_EQ(m_dailies.json({"clusters", "list"}), Json::array());
}

TEST_F(CommandLine, AHostOrAPortThatCannotBeIsRefusedWithWhatIsAccepted) {
    for (const char* host : {"", "host:99999", "%h"}) {
        const auto answer = m_dailies.run({"clusters", "add", "bad", "--host", host});
        EXPECT_EQ(answer.status, 2) << host;
        EXPECT_THAT(answer.err, HasSubstr("A host name, an address or a Host of ~/.ssh/config")) << host;
    }
    for (const char* port : {"0", "99999", "ssh"}) {
        const auto answer = m_dailies.run({"clusters", "add", "bad", "--port", port});
        EXPECT_EQ(answer.status, 2) << port;
        EXPECT_THAT(answer.err, HasSubstr("65535")) << port;
    }
    EXPECT_EQ(m_dailies.json({"clusters", "list"}), Json::array());
}

TEST_F(CommandLine, AClusterOfTheSameNameIsReplacedOnlyWhenOneSaysSo) {
    const std::vector<std::string> first{"clusters", "add",  "lab",    "--host", "login.example.org",
                                         "--port",   "2222", "--user", "ada"};
    ASSERT_EQ(m_dailies.run(first).status, 0);
    const auto same = m_dailies.run(first);
    EXPECT_EQ(same.status, 0);
    EXPECT_THAT(same.err, HasSubstr("Nothing changed"));
    std::vector<std::string> second{"clusters", "add", "lab",         "--host", "other",
                                    "--user",   "ada", "--workspace", "/w"};
    const auto refused = m_dailies.run(second);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err,
                testing::AllOf(HasSubstr("ada@login.example.org port 2222"), HasSubstr("--replace"),
                               HasSubstr("host login.example.org → other"), HasSubstr("port 2222 → none"),
                               HasSubstr("workspace ~/dailies → /w"), Not(HasSubstr("user ada"))));
    EXPECT_EQ(m_dailies.json({"clusters", "list"})[0].at("port"), 2222);
    second.push_back("--replace");
    const auto replaced = m_dailies.run(second);
    EXPECT_EQ(replaced.status, 0) << replaced.err;
    EXPECT_THAT(replaced.err, HasSubstr("Changed: host login.example.org → other, port 2222 → none, "
                                        "workspace ~/dailies → /w."));
    const Json clusters = m_dailies.json({"clusters", "list"});
    ASSERT_EQ(clusters.size(), 1u);
    EXPECT_EQ(clusters[0].at("host"), "other");
    EXPECT_EQ(m_dailies.run({"clusters", "add", "new", "--replace"}).status, 0) << "there is none to replace";
}

TEST_F(CommandLine, ReplacingAClusterKeepsWhatTheCommandLineCannotSay) {
    const Json known{{"clusters",
                      {{{"name", "lab"},
                        {"host", "lab"},
                        {"workspace", "~/dailies"},
                        {"qos", "long"},
                        {"poll_seconds", 60}}}}};
    write("config/dailies/clusters.json", known.dump());
    EXPECT_EQ(m_dailies.run({"clusters", "add", "lab", "--port", "22", "--replace"}).status, 0);
    const Json now = m_dailies.json({"clusters", "list"})[0];
    EXPECT_EQ(now.at("qos"), "long");
    EXPECT_EQ(now.at("poll_seconds"), 60);
    EXPECT_EQ(now.at("port"), 22);
}

TEST_F(CommandLine, AClusterThatCannotBeReachedIsAFailureWithARemedy) {
    ASSERT_EQ(m_dailies.run({"clusters", "add", "closed", "--host", "127.0.0.1", "--port", "1"}).status, 0);
    const auto answer = m_dailies.run({"clusters", "test", "closed"});
    EXPECT_EQ(answer.status, 1);
    EXPECT_THAT(answer.out, HasSubstr("bad   Login"));
    EXPECT_THAT(answer.out, HasSubstr("127.0.0.1"));
    EXPECT_THAT(answer.out, HasSubstr("refused"));
}

TEST_F(CommandLine, ADryRunShowsRunsAndScriptAndSendsNothing) {
    ASSERT_EQ(m_dailies.run({"clusters", "add", "closed", "--host", "127.0.0.1", "--port", "1"}).status, 0);
    const Json plan = m_dailies.json({"launch", DAILIES_SOURCE_FOLDER "/resources/presets/shapes-lr.yaml",
                                      "--cluster", "closed", "--dry-run"});
    EXPECT_EQ(plan.at("runs").size(), 4u);
    EXPECT_EQ(plan.at("runs")[0].at("config").at("steps"), 1600);
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("#SBATCH --array=0-3%2"));
    EXPECT_FALSE(std::filesystem::exists(m_dailies.store()));
}

TEST_F(CommandLine, AClustersEnvironmentAndPriceGoIntoScriptAndEstimate) {
    const auto added = m_dailies.run({"clusters", "add", "closed", "--host", "127.0.0.1", "--port", "1",
                                      "--module", "cuda/12.4", "--fabric", "infiniband", "--env",
                                      "NCCL_BLOCKING_WAIT=1", "--gpu-price", "2.5", "--currency", "EUR"});
    ASSERT_EQ(added.status, 0) << added.err;
    const Json plan = m_dailies.json({"launch", DAILIES_SOURCE_FOLDER "/resources/presets/shapes-lr.yaml",
                                      "--cluster", "closed", "--dry-run"});
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("\nmodule load 'cuda/12.4' || "));
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("\nexport NCCL_NET='IB'\n"));
    EXPECT_THAT(plan.at("findings")[0].at("found"), HasSubstr("set TORCH_NCCL_BLOCKING_WAIT instead"));
    const auto bad = m_dailies.run({"clusters", "add", "x", "--fabric", "string"});
    EXPECT_EQ(bad.status, 2);
    EXPECT_THAT(bad.err, HasSubstr("infiniband"));
}

TEST_F(CommandLine, AScriptIsPrintedEditedAndTakenInThePlaceOfTheGeneratedOne) {
    ASSERT_EQ(m_dailies.run({"clusters", "add", "closed", "--host", "127.0.0.1", "--port", "1"}).status, 0);
    const std::string sweep = DAILIES_SOURCE_FOLDER "/resources/presets/shapes-lr.yaml";
    const auto printed = m_dailies.run({"launch", sweep, "--cluster", "closed", "--print-script"});
    ASSERT_EQ(printed.status, 0) << printed.err;
    EXPECT_THAT(printed.out, StartsWith("#!/bin/bash\n")) << "nothing but the script";
    const auto file = m_home.path() / "job.sbatch";
    const auto launchWith = [&](const std::string& was, const std::string& now) {
        std::string script = printed.out;
        script.replace(script.find(was), was.size(), now);
        writeFileAtomically(file, script);
        return m_dailies.run(
            {"launch", sweep, "--cluster", "closed", "--script", file.string(), "--dry-run"});
    };
    const auto sound = launchWith("#SBATCH --nodes=1\n", "#SBATCH --nodes=1\n#SBATCH --licenses=video:1\n");
    EXPECT_EQ(sound.status, 0) << sound.err;
    EXPECT_THAT(sound.out, HasSubstr("#SBATCH --nodes=1\n#SBATCH --licenses=video:1\n"));
    const auto broken = launchWith("#SBATCH --array=0-3%2", "#SBATCH --array=0-9%2");
    EXPECT_EQ(broken.status, 2);
    EXPECT_THAT(broken.err, HasSubstr("Line 5 of the script: found #SBATCH --array=0-9%2, expected "
                                      "#SBATCH --array=0-3%2"));
    EXPECT_EQ(broken.out, "");
}

TEST_F(CommandLine, ALaunchThatThenSamplesSaysWhatItWouldMakeAndRefusesMistakesFirst) {
    ASSERT_EQ(m_dailies.run({"clusters", "add", "closed", "--host", "127.0.0.1", "--port", "1"}).status, 0);
    const auto file = m_home.path() / "sample.yaml";
    const auto launchThen = [&](const std::string& sampling) {
        writeFileAtomically(file, sampling);
        return m_dailies.run({"launch", DAILIES_SOURCE_FOLDER "/resources/presets/shapes-lr.yaml",
                              "--cluster", "closed", "--dry-run", "--format", "json", "--then-sample",
                              file.string()});
    };
    const auto sound = launchThen("prompts: [red square left, blue circle up]\nseeds: 0..3\n");
    ASSERT_EQ(sound.status, 0) << sound.err;
    EXPECT_EQ(parseJson(sound.out, "launch").at("notices").at(0),
              "Of each run, once it is trained, 8 clips are sampled.");
    const auto wrong = launchThen("prompts: [x]\nseed: 3\n");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("did you mean seeds?"));
}

TEST_F(CommandLine, SweepFilesAreLaunchedTogetherOnlyAsAChain) {
    ASSERT_EQ(m_dailies.run({"clusters", "add", "closed", "--host", "127.0.0.1", "--port", "1"}).status, 0);
    const std::string file = DAILIES_SOURCE_FOLDER "/resources/presets/shapes-quick.yaml";
    const auto two = m_dailies.run({"launch", file, file, "--cluster", "closed", "--dry-run"});
    EXPECT_EQ(two.status, 2);
    EXPECT_THAT(two.err, HasSubstr("--chain"));
    const auto chain = m_dailies.run({"launch", file, file, "--chain", "--cluster", "closed", "--dry-run"});
    EXPECT_EQ(chain.status, 0) << chain.err;
    EXPECT_THAT(chain.out, HasSubstr("It would begin after the sweep before it in the chain has finished."));
    const auto nothing = m_dailies.run({"launch", "--again", "nobody"});
    EXPECT_EQ(nothing.status, 2);
    EXPECT_THAT(nothing.err, HasSubstr("nobody"));
}

TEST_F(CommandLine, AFilterChoosesRunsAndParamsCompareAsNumbers) {
    fillStore();
    const Json all = m_dailies.json({"runs", "--order-by", "number(params.optimizer.lr) DESC"});
    ASSERT_EQ(all.size(), 4u);
    const std::string highest = all[0].at("params").at("optimizer.lr");
    const Json lower =
        m_dailies.json({"runs", "--filter", "params.optimizer.lr < " + highest + " AND status = 'FINISHED'",
                        "--order-by", "number(params.optimizer.lr) DESC"});
    ASSERT_EQ(lower.size(), 3u);
    for (std::size_t i = 0; i < lower.size(); ++i) EXPECT_EQ(lower[i].at("run_id"), all[i + 1].at("run_id"));
    EXPECT_EQ(m_dailies.json({"runs", "--filter", "status = 'FAILED' OR metrics.loss IS NULL"}),
              Json::array());
}

TEST_F(CommandLine, AWrongFilterIsPointedAt) {
    fillStore();
    const auto answer = m_dailies.run({"runs", "--filter", "status = 'FINISHED' AND los < 1"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr("           status = 'FINISHED' AND los < 1\n"
                                      "                                   ^^^\n"));
    EXPECT_THAT(answer.err, HasSubstr("Did you mean metrics.loss?"));
}

TEST_F(CommandLine, AFilterThatFindsNothingSaysWhichKeyNoRunHas) {
    fillStore();
    const auto answer = m_dailies.run({"runs", "--filter", "metrics.adherense > 0"});
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.out, "No run matches.\n");
    EXPECT_THAT(answer.err, HasSubstr("did you mean metrics.adherence?"));
}

TEST_F(CommandLine, ColumnsGoByTheirShortNamesInFilterAndOrder) {
    fillStore();
    const auto whole = m_dailies.json(
        {"runs", "--filter", "params.optimizer.lr > 0.005", "--order-by", "number(params.optimizer.lr)"});
    ASSERT_GT(whole.size(), 0u);
    ASSERT_LT(whole.size(), 4u);
    EXPECT_EQ(m_dailies.json({"runs", "--filter", "params.lr > 0.005", "--order-by", "number(params.lr)"}),
              whole);
    EXPECT_EQ(m_dailies.run({"runs", "--filter", "params.lr > 0.005"}).err, "");
    const auto near = m_dailies.run({"runs", "--filter", "params.optimizr.lr > 0.005"});
    EXPECT_THAT(near.err, HasSubstr("did you mean params.optimizer.lr?"));
}

TEST_F(CommandLine, ARunThatIsOverIsNotCancelledAndNoClusterIsAsked) {
    fillStore();
    const std::string run = m_dailies.json({"runs"})[0].at("run_id");
    const auto answer = m_dailies.run({"cancel", run});
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.err, HasSubstr("is over already: FINISHED"));
}

TEST_F(CommandLine, NamesNeitherBreakRowsNorReachTheTerminal) {
    {
        tracking::Store store(m_dailies.store());
        tracking::Run run;
        run.id = std::string(32, 'a');
        run.name = "two\nlines\tand \x1b[31mred";
        run.experiment = "e";
        run.params = {{"data.note", "one\ntwo"}};
        store.createRun(run);
        run.id = std::string(32, 'b');
        run.name = "other";
        run.params = {{"data.note", "three"}};
        store.createRun(run);
    }
    const auto answer = m_dailies.run({"runs"});
    const auto lines = split(answer.out, '\n');
    EXPECT_EQ(lines.size(), 4u) << answer.out;
    EXPECT_THAT(answer.out, HasSubstr("two lines and"));
    EXPECT_THAT(answer.out, testing::Not(HasSubstr("\x1b")));
}

TEST_F(CommandLine, ANameOfOneLetterIsNoBeginningOfAnId) {
    {
        tracking::Store store(m_dailies.store());
        for (const char letter : {'b', 'c'}) {
            tracking::Run run;
            run.id = std::string(32, letter);
            run.name = letter == 'c' ? "b" : "other";
            run.experiment = "e";
            store.createRun(run);
        }
    }
    EXPECT_THAT(m_dailies.run({"metrics", "b", "loss"}).err, HasSubstr("Run " + std::string(32, 'c')));
    EXPECT_EQ(m_dailies.run({"archive", "b"}).status, 0);
    EXPECT_EQ(m_dailies.json({"runs"})[0].at("name"), "other");
    EXPECT_THAT(m_dailies.run({"cancel", "b"}).err, HasSubstr("Run 'other'")) << "now the beginning";
}

TEST_F(CommandLine, FramesAreCountedFromOneEverywhere) {
    const auto file = write("notes.mp4", "not a video");
    const auto lines = split(m_dailies.run({"check", file}).out, '\n');
    ASSERT_GE(lines.size(), 2u);
    const auto cells = split(lines[1], ' ');
    EXPECT_NE(std::ranges::find(cells, "1"), cells.end()) << lines[1];
    const Json findings = m_dailies.json({"check", file})[0].at("findings");
    EXPECT_EQ(findings[0].at("first_frame"), 1);
    EXPECT_EQ(findings[0].at("last_frame"), 1);
}

TEST_F(CommandLine, AFolderOrAFifoIsNamedWhereAFileIsExpected) {
    addClosedCluster();
    fillStore();
    const auto fifo = place("fifo"), folder = place("folder");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    std::filesystem::create_directory(folder);
    for (const auto& words : std::vector<std::vector<std::string>>{{"check", fifo},
                                                                   {"import", fifo},
                                                                   {"launch", fifo, "--dry-run"},
                                                                   {"runs", "--store", fifo},
                                                                   {"score", fifo, "--runs", "x"}}) {
        const auto answer = m_dailies.run(words);
        EXPECT_NE(answer.status, 0) << words[0];
        EXPECT_THAT(answer.err, HasSubstr("is a FIFO, not a file")) << words[0];
    }
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"check", folder}, {"runs", "--store", folder}}) {
        const auto answer = m_dailies.run(words);
        EXPECT_NE(answer.status, 0) << words[0];
        EXPECT_THAT(answer.err, HasSubstr("is a folder, not a file")) << words[0];
    }
    EXPECT_THAT(m_dailies.run({"export", "--to", fifo, "--force"}).err, HasSubstr("is a FIFO, not a file"));
    EXPECT_TRUE(std::filesystem::is_fifo(fifo)) << "it was not replaced";
}

TEST_F(CommandLine, AFolderInPlaceOfASweepFileIsSaidToBeOne) {
    const auto folder = place("sweeps");
    std::filesystem::create_directory(folder);
    const auto answer = m_dailies.run({"launch", folder, "--dry-run"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err,
                testing::AllOf(HasSubstr(folder + " is a folder"), HasSubstr("sweep file: YAML")));
    const auto none = m_dailies.run({"launch", place("none.yaml"), "--dry-run"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("does not exist"));
}

#ifdef DAILIES_WITH_UI
TEST_F(CommandLine, AStepWithoutClipsIsRefused) {
    fillStore();
    for (const auto& [command, file] : {std::pair{"reel", "all.mp4"}, {"contact-sheet", "sheet.png"}}) {
        const auto answer = m_dailies.run({command, place(file), "--step", "987654"});
        EXPECT_EQ(answer.status, 2) << command;
        EXPECT_THAT(answer.err, testing::AllOf(HasSubstr("no clips of step 987654"), HasSubstr("of step ")));
        EXPECT_FALSE(std::filesystem::exists(place(file)));
    }
}

TEST_F(CommandLine, ADiskThatIsFullLeavesNoPartOfAPicture) {
    fillStore();
    std::filesystem::create_directory(place("out"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"contact-sheet", place("out/sheet.png")},
          {"screenshot", "runs", place("out/runs.png"), "--size", "800x600"},
          {"contact-sheet", place("out/sheet.pdf")}}) {
        // 36 KiB: room for the store's shared memory, not for a picture
        const auto answer = m_dailies.shell("ulimit -f 72; " + m_dailies.command(words));
        EXPECT_EQ(answer.status, 1) << words[0] << answer.err;
        EXPECT_THAT(answer.err, HasSubstr("Cannot write"));
        EXPECT_TRUE(std::filesystem::is_empty(place("out"))) << words[1];
    }
}
#endif

TEST_F(CommandLine, OfARunThatWasExtendedTheTimeAndTheStepsAreThoseThatItTrained) {
    fillStore();
    const Json runs = m_dailies.json({"runs"});
    const std::string id = runs[0].at("run_id"), other = runs[1].at("run_id");
    {
        tracking::Store store(m_dailies.store());
        const std::int64_t start = store.run(id)->startMs, week = 7 * 24 * 3'600'000;
        store.putAttempt({id, "7_0", 0, "COMPLETED", "", "0:0", "n1", start, start + 60'000});
        store.putAttempt({id, "9_0", 0, "COMPLETED", "", "0:0", "n1", start + week, start + week + 5'000});
        store.setExtendedTo(id, 1700);
        store.setStatus(id, tracking::RunStatus::Finished, start + week + 5'000);
    }
    const auto lines = split(m_dailies.run({"runs"}).out, '\n');
    const auto line =
        std::ranges::find_if(lines, [&](const auto& l) { return l.starts_with(id.substr(0, 8)); });
    ASSERT_NE(line, lines.end());
    EXPECT_THAT(*line, HasSubstr(" 1:05")) << "without the week that it paused";
    EXPECT_THAT(*line, HasSubstr(" 1700 "));
    const auto compared = m_dailies.run({"compare", id, other});
    EXPECT_EQ(compared.status, 0) << compared.err;
    EXPECT_THAT(compared.out, testing::ContainsRegex("steps +1700 +200 "));
    EXPECT_THAT(compared.out, testing::ContainsRegex("duration +1 min 05 s"));
    EXPECT_THAT(compared.out, testing::ContainsRegex("wall_time +7 d"));
}

TEST_F(CommandLine, CompareTellsWhatDiffersAgainstAReference) {
    fillStore();
    const Json runs = m_dailies.json({"runs"});
    const std::string id = runs[0].at("run_id"), other = runs[1].at("run_id");
    const Json compared = m_dailies.json({"compare", id, other, "--reference", other});
    EXPECT_EQ(compared.at("reference"), other);
    std::vector<std::string> keys;
    for (const auto& row : compared.at("rows")) keys.push_back(row.at("key"));
    EXPECT_THAT(keys, testing::Contains("optimizer.lr"));
    EXPECT_THAT(keys, testing::Not(testing::Contains("steps"))) << "the same in both";
    EXPECT_THAT(m_dailies.run({"compare", id, other, "--all"}).out, HasSubstr("steps"));
    const auto alone = m_dailies.run({"compare", id, id});
    EXPECT_EQ(alone.status, 2);
    EXPECT_THAT(alone.err, HasSubstr("Give 2 to 50 different runs"));
}

}  // namespace
