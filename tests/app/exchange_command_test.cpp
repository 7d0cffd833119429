#include "core/base/ids.h"
#include "core/judging/arena_records.h"
#include "tests/support/dailies_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

// `import`, `export` and `publish` as scripts rely on them.

namespace {

using namespace dailies;
using testing::HasSubstr;

class ExchangeCommands : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        writeFileAtomically(m_home.path() / name, text);
        return (m_home.path() / name).string();
    }

    TemporaryFolder m_home{"dailies-exchange"};
    test::DailiesProgram m_dailies{m_home.path()};
};

TEST_F(ExchangeCommands, WhatIsImportedIsListedAndTheSecondTimeIsNoNews) {
    const auto file = write("first/a run.csv", "step,loss\n1,0.5\n2,NaN\n");
    const Json summary = m_dailies.json({"import", file});
    EXPECT_EQ(summary.at("kind"), "csv");
    EXPECT_EQ(summary.at("runs_added"), 1);
    EXPECT_EQ(summary.at("points_added"), 2);
    EXPECT_EQ(summary.at("left_out"), Json::array());
    EXPECT_EQ(m_dailies.json({"import", file}).at("points_added"), 0);
    const Json runs = m_dailies.json({"runs"});
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].at("name"), "a run");
    EXPECT_EQ(runs[0].at("metrics").at("loss"), "NaN");
    EXPECT_THAT(m_dailies.run({"import", file}).out, HasSubstr("0 runs added, 0 with more, 1 without news"));
}

TEST_F(ExchangeCommands, TheExperimentAndTheKindCanBeSaid) {
    const auto file = write("a.txt", "step,loss\n1,0.5\n");
    EXPECT_EQ(m_dailies.run({"import", file}).status, 2) << "its name does not say what it is";
    m_dailies.json({"import", file, "--kind", "csv", "--experiment", "mine"});
    EXPECT_EQ(m_dailies.json({"runs", "--experiment", "mine"}).size(), 1u);
    EXPECT_EQ(m_dailies.run({"import", file, "--kind", "excel"}).status, 2);
}

TEST_F(ExchangeCommands, WhatIsLeftOutIsToldOnStandardErrorAlone) {
    const auto answer = m_dailies.run({"import", write("a.csv", "step,loss,remark\n1,0.5,good\n")});
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.err, HasSubstr("left out: cells of column remark"));
    EXPECT_THAT(answer.out, testing::Not(HasSubstr("remark")));
}

TEST_F(ExchangeCommands, AWideFileWithAColumnOfRunsBringsThemAll) {
    const auto file = write("a.csv", "run,step,loss\ncalm,1,0.5\ncalm,2,0.4\nwild,1,0.7\nwild,2,0.6\n");
    const auto answer = m_dailies.run({"import", file});
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.out, HasSubstr("2 runs added"));
    EXPECT_THAT(answer.err, testing::Not(HasSubstr("left out")));
    EXPECT_EQ(m_dailies.json({"runs"}).size(), 2u);
    EXPECT_THAT(m_dailies.run({"import", "--help"}).out, HasSubstr("column run, run_id"));
}

TEST_F(ExchangeCommands, ExportSaysWhatPeoplePreferredOrThatNobodyDid) {
    m_dailies.json({"import", write("a.csv", "step,loss\n1,0.5\n")});
    const auto target = (m_home.path() / "pairs.jsonl").string();
    const auto refused = m_dailies.run({"export", "--what", "preferences", "--to", target});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("blind arena"));

    tracking::Store store(m_dailies.store());
    std::vector<judging::Contestant> two;
    for (const auto* name : {"one", "two"}) {
        tracking::Run run;
        run.id = newId();
        run.name = name;
        run.experiment = "mine";
        run.tags[tracking::tag::kFolder] = std::string("/w/") + name;
        run.tags[tracking::tag::kCluster] = "there";
        store.createRun(run);
        two.push_back({run.id, 100, {"clips/a.mp4"}});
    }
    judging::addArena(store, {newId(), "", {{{"a cat", 1}}, two}, 1, "ana", 1});
    const auto arena = judging::arenasOf(store, {two[0].runId}).front();
    judging::addChoice(store, arena.id, {{0, 0, 1}, judging::Outcome::Right, "ana", 2});
    const Json summary =
        m_dailies.json({"export", "--what", "preferences", "--experiment", "mine", "--to", target});
    EXPECT_EQ(summary.at("pairs"), 1);
    EXPECT_EQ(parseJson(readFile(target), "pairs").at("better"), "/w/two/clips/a.mp4");
    EXPECT_EQ(m_dailies.run({"export", "--what", "preferences", "--to", target}).status, 2) << "it is there";
    const auto told = m_dailies.run({"export", "one", "--what", "preferences", "--to", target, "--force"});
    EXPECT_EQ(told.out, target + "\n");
    EXPECT_THAT(told.err, HasSubstr("1 pair of clips."));
}

TEST_F(ExchangeCommands, ExportPrintsTheFileThatItWrote) {
    m_dailies.json({"import", write("a.csv", "step,loss\n1,0.5\n2,0.25\n")});
    const auto points = m_dailies.run({"export", "a", "--to", m_home.path().string(), "--what", "metrics"});
    EXPECT_EQ(points.status, 0) << points.err;
    EXPECT_EQ(points.out, (m_home.path() / "metrics.csv").string() + "\n");
    EXPECT_THAT(readFile(m_home.path() / "metrics.csv"), HasSubstr(",a,loss,2,"));
    const auto table = (m_home.path() / "deep/table.csv").string();
    EXPECT_EQ(m_dailies.json({"export", "--to", table}).at("runs"), 1);
    EXPECT_THAT(readFile(table), HasSubstr("metrics.loss"));
}

TEST_F(ExchangeCommands, AFileThatIsThereIsReplacedOnlyWhenOneSaysSo) {
    m_dailies.json({"import", write("a.csv", "step,loss\n1,0.5\n")});
    const auto mine = write("table.csv", "an afternoon's work");
    const auto refused = m_dailies.run({"export", "--to", mine});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, testing::AllOf(HasSubstr(mine), HasSubstr("--force")));
    EXPECT_EQ(readFile(mine), "an afternoon's work");
    EXPECT_EQ(m_dailies.run({"export", "--to", mine, "--force"}).status, 0);
    EXPECT_THAT(readFile(mine), HasSubstr("metrics.loss"));
    m_dailies.run({"export", "--to", m_home.path().string(), "--what", "metrics"});
    EXPECT_EQ(m_dailies.run({"export", "--to", m_home.path().string(), "--what", "metrics"}).status, 2)
        << "the file that a folder gets is one, too";
}

TEST_F(ExchangeCommands, ImportSaysWhatAFileOfPointsCannotTellOfItsRuns) {
    const auto file = write("a.csv", "step,loss\n1,0.5\n");
    const auto answer = m_dailies.run({"import", file});
    EXPECT_THAT(answer.err, testing::AllOf(HasSubstr("not in the file"), HasSubstr("params")));
    EXPECT_THAT(m_dailies.run({"import", file}).err, testing::Not(HasSubstr("not in the file")))
        << "nothing was added";
}

TEST_F(ExchangeCommands, AFolderOfSeveralTrackersIsTakenWholeAndTold) {
    write("work/csv/a.csv", "step,loss,loss\n1,0.5,0.7\n");
    const std::string run = "work/mlruns/7/" + std::string(32, 'a') + "/";
    write(run + "meta.yaml", "run_id: " + std::string(32, 'a') + "\nrun_name: one\nstatus: 3\n");
    write(run + "metrics/loss", "1700000000100 0.5 1\n");
    write("work/index.csv", "clip,seconds\n1,2.5\n");
    const auto folder = (m_home.path() / "work").string();
    const auto answer = m_dailies.run({"import", folder});
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, testing::AllOf(HasSubstr("MLflow, 1 run folder: 1 run added"),
                                           HasSubstr("CSV, 1 file: 1 run added"),
                                           HasSubstr("a.csv: column loss appears twice"),
                                           HasSubstr("left out: CSV files without a step column")));
    EXPECT_THAT(answer.out, HasSubstr("2 runs added"));
    const Json again = m_dailies.json({"import", folder});
    ASSERT_EQ(again.at("sources").size(), 2u);
    EXPECT_EQ(again.at("sources")[0].at("runs_unchanged"), 1);
    EXPECT_EQ(again.at("notes").size(), 1u);
}

TEST_F(ExchangeCommands, NanIsSpelledOneWayAndTextsAreRawWhenAskedFor) {
    m_dailies.json({"import", write("=a.csv", "step,loss\n1,NaN\n2,-inf\n3,nan\n")});
    EXPECT_THAT(
        m_dailies.run({"metrics", "=a", "loss", "--format", "csv"}).out,
        testing::AllOf(HasSubstr(",NaN\n"), HasSubstr(",-Infinity\n"), testing::Not(HasSubstr("nan"))));
    EXPECT_THAT(m_dailies.run({"runs", "--format", "csv"}).out,
                testing::AllOf(HasSubstr(",'=a,"), HasSubstr(",NaN")));
    const auto table = (m_home.path() / "table.csv").string();
    m_dailies.json({"export", "--to", table});
    EXPECT_THAT(readFile(table), testing::AllOf(HasSubstr(",'=a,"), HasSubstr(",NaN")));
    m_dailies.json({"export", "--to", table, "--force", "--raw-text"});
    EXPECT_THAT(readFile(table), HasSubstr(",=a,"));
    m_dailies.json({"export", "--to", table, "--force", "--as", "json"});
    EXPECT_EQ(Json::parse(readFile(table)).at(0).at("name"), "=a");
}

TEST_F(ExchangeCommands, PublishNamesTheServerAndGivesUpSoonWhereNobodyListens) {
    m_dailies.json({"import", write("a.csv", "step,loss\n1,0.5\n")});
    const auto begin = std::chrono::steady_clock::now();
    const auto answer = m_dailies.run({"publish", "a", "--to", "http://127.0.0.1:9"});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_EQ(answer.status, 1);
    EXPECT_THAT(answer.err,
                testing::AllOf(HasSubstr("Contacting http://127.0.0.1:9"), HasSubstr("Check the address")));
}

TEST_F(ExchangeCommands, RunsThatAreNotThereAreRefusedWithThoseThatAre) {
    m_dailies.json({"import", write("a.csv", "step,loss\n1,0.5\n"), "--experiment", "mine"});
    const auto answer = m_dailies.run({"export", "--experiment", "yours", "--to", m_home.path().string()});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("The store has: mine"));
    EXPECT_EQ(m_dailies.run({"export", "nobody", "--to", m_home.path().string()}).status, 2);
    EXPECT_EQ(m_dailies.run({"export", "a"}).status, 2) << "it was not said where to";
    EXPECT_EQ(m_dailies.run({"import", "/nowhere"}).status, 2);
}

TEST_F(ExchangeCommands, PublishWantsARunAndAServer) {
    m_dailies.json({"import", write("a.csv", "step,loss\n1,0.5\n")});
    EXPECT_EQ(m_dailies.run({"publish", "a"}).status, 2);
    EXPECT_EQ(m_dailies.run({"publish", "--to", "http://127.0.0.1:9"}).status, 2);
    const auto answer = m_dailies.run({"publish", "a", "--to", "http://ada:secret@127.0.0.1:9"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err,
                testing::AllOf(HasSubstr("MLFLOW_TRACKING_PASSWORD"), testing::Not(HasSubstr("secret"))));
}

}  // namespace
