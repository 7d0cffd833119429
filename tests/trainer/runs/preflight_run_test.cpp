#include "core/base/files.h"
#include "core/preflight/report.h"
#include "tests/trainer/free_port.h"
#include "tests/trainer/runs/rank_processes.h"

#include <gmock/gmock.h>

#include <csignal>
#include <thread>

// Four ranks, each told that it is a node, and nodes that are bad for real.

namespace dailies::trainer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PreflightRun : public testing::Test {
protected:
    std::vector<std::unique_ptr<TrainerProcess>> start(int nodes, int budget = 40, int perNode = 1,
                                                       std::int64_t fileLimitOfLast = 0) {
        std::string names;
        for (int node = 0; node < nodes; ++node)
            names += (node > 0 ? "," : "") + std::string("n") + std::to_string(node + 1);
        return startRanks(
            wordsFor(names, budget), m_files.path(), nodes * perNode,
            [&](int rank) { return placeOf(rank, perNode); }, fileLimitOfLast);
    }

    std::vector<std::string> wordsFor(const std::string& nodes, int budget) const {
        return {"preflight", "--folder", folder().string(),     "--nodes",
                nodes,       "--budget", std::to_string(budget)};
    }
    static TrainerProcess::Variables placeOf(int rank, int perNode) {
        return {{"SLURMD_NODENAME", "n" + std::to_string(rank / perNode + 1)},
                {"LOCAL_RANK", std::to_string(rank % perNode)}};
    }

    std::filesystem::path folder() const { return m_files.path() / "preflight"; }
    std::string output(int rank) const {
        return readFile(m_files.path() / ("output-" + std::to_string(rank) + ".txt"));
    }
    preflight::Report report() const {
        return preflight::reportFromJson(parseJson(readFile(folder() / "preflight.json"), "report"));
    }
    /// What the script asks after the step: standard output and exit status.
    std::pair<int, std::string> conclude(const std::string& nodes,
                                         const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"preflight", "--folder", folder().string(),
                                       "--nodes",   nodes,      "--conclude"};
        words.insert(words.end(), more.begin(), more.end());
        const auto out = m_files.path() / "concluded.txt";
        std::filesystem::remove(out);
        const int status = TrainerProcess(words, out).wait();
        return {status, readFile(out)};
    }

    TemporaryFolder m_files;
};

TEST_F(PreflightRun, MeasuresEveryNodeAndEveryPair) {
    for (const auto& rank : start(4)) rank->wait();
    const auto found = report();
    ASSERT_EQ(found.nodes.size(), 4u);
    EXPECT_EQ(found.ranks, 4);
    EXPECT_GT(found.allReduce, 1e6);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(found.nodes[i].name, "n" + std::to_string(i + 1));
        for (const char* figure : {"flops", "link", "latency", "bytes_written", "files_made", "skew"})
            EXPECT_TRUE(found.nodes[i].figures.contains(figure)) << figure;
        EXPECT_LT(std::abs(found.nodes[i].figures.at("skew")), 0.5) << "one machine has one clock";
        for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(found.links[i][j].value_or(0) > 0, i != j) << i << j;
    }
    EXPECT_FALSE(found.anyBad()) << found.summary();
    EXPECT_THAT(output(0), HasSubstr("Matrix products"));
    EXPECT_EQ(conclude("n1,n2,n3,n4"), std::pair(0, std::string("\n")));
}

TEST_F(PreflightRun, RanksOfANodeMeetThoseOfTheOtherAtOnce) {
    for (const auto& rank : start(2, 40, 2)) rank->wait();
    const auto found = report();
    ASSERT_EQ(found.nodes.size(), 2u);
    EXPECT_EQ(found.ranks, 4);
    EXPECT_GT(found.links[0][1], 0);
}

TEST_F(PreflightRun, ARankThatNeverAnswersIsNamedWithinTheBudget) {
    const auto begin = std::chrono::steady_clock::now();
    const int port = freePort();
    std::vector<std::unique_ptr<TrainerProcess>> ranks;
    for (const int rank : {0, 1}) {  // that of n3 hangs before its first word
        auto variables = variablesOfRank(rank, 3, port);
        variables.merge(placeOf(rank, 1));
        ranks.push_back(std::make_unique<TrainerProcess>(
            wordsFor("n1,n2,n3", 30), m_files.path() / ("output-" + std::to_string(rank) + ".txt"),
            variables));
    }
    EXPECT_EQ(ranks[0]->wait(), 1) << output(0);
    EXPECT_EQ(ranks[1]->wait(), 0) << output(1);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(35));
    EXPECT_THAT(report().nodesToExclude(), ElementsAre("n3"));
    EXPECT_THAT(report().summary(), HasSubstr("Node n3 is bad. It never answered."));
    EXPECT_FALSE(report().nodes[0].figures.empty());
    EXPECT_GT(report().links[0][1], 0) << "the others were measured all the same";
}

TEST_F(PreflightRun, ARankThatHangsHalfWayIsNamedWithItsPhase) {
    auto ranks = start(3, 30);
    const auto part = folder() / "parts/1.json";
    while (!std::filesystem::exists(part) ||
           preflight::rankReportFromJson(parseJson(readFile(part), "part")).phase == "roll call")
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ranks[1]->signal(SIGSTOP);
    EXPECT_EQ(ranks[0]->wait(), 1) << output(0);
    EXPECT_THAT(report().nodesToExclude(), ElementsAre("n2"));
    EXPECT_THAT(report().summary(), HasSubstr("stopped answering in the phase"));
}

TEST_F(PreflightRun, WhereRankZeroHangsTheReportIsMadeOfTheParts) {
    auto ranks = start(3, 15);
    while (!std::filesystem::exists(folder() / "parts/0.json"))
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ranks[0]->signal(SIGSTOP);
    EXPECT_EQ(ranks[1]->wait(), 1);
    EXPECT_EQ(ranks[2]->wait(), 1);
    EXPECT_FALSE(std::filesystem::exists(folder() / "preflight.json"));
    EXPECT_EQ(conclude("n1,n2,n3").second, "n1\n");
    EXPECT_TRUE(std::filesystem::exists(folder() / "preflight.json"));
}

TEST_F(PreflightRun, ANodeThatCannotWriteSaysSoItself) {
    for (const auto& rank : start(3, 40, 1, 4096)) rank->wait();
    EXPECT_THAT(report().nodesToExclude(), ElementsAre("n3"));
    EXPECT_THAT(report().summary(), HasSubstr("File too large"));
    EXPECT_TRUE(report().nodes[2].figures.contains("flops")) << "what it can do was measured all the same";
}

TEST_F(PreflightRun, WhatWasFoundBecomesAnEventOfTheRun) {
    auto ranks = start(2, 20);
    ranks[1]->signal(SIGKILL);
    ranks[0]->wait();
    const TrainingRun run;
    EXPECT_EQ(conclude("n1,n2", {"--run-dir", run.path().string()}).second, "n2\n");
    ASSERT_EQ(run.all<events::Health>().size(), 1u);
    EXPECT_EQ(run.all<events::Health>()[0].kind, "bad_node");
    EXPECT_THAT(run.all<events::Health>()[0].text, HasSubstr("Node n2 is bad."));
    EXPECT_THAT(run.all<events::Health>()[0].text, HasSubstr("goes on without n2"));
    conclude("n1,n2", {"--run-dir", run.path().string(), "--gives-up"});
    ASSERT_EQ(run.all<events::End>().size(), 1u);
    EXPECT_EQ(run.all<events::End>()[0].status, "failed");
}

TEST_F(PreflightRun, WithoutAnyPartThereIsNoVerdict) {
    const auto [status, out] = conclude("n1,n2");
    EXPECT_EQ(status, 1);
    EXPECT_THAT(out, HasSubstr("No rank of the preflight has begun"));
}

}  // namespace
}  // namespace dailies::trainer
