#include "core/preflight/build_report.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::preflight {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A rank of n1, n2, … that has been through everything and found nothing odd.
RankReport wellPart(std::int64_t rank, std::int64_t ranks = 4) {
    RankReport part;
    part.rank = rank;
    part.node = "n" + std::to_string(rank + 1);
    part.phase = "done";
    part.flops = 5e13;
    part.bytesWritten = 1e9;
    part.filesMade = 400;
    part.skew = 0.001;
    part.allReduce = 1e10;
    for (std::int64_t other = 0; other < ranks; ++other)
        if (other != rank) part.links.push_back({"n" + std::to_string(other + 1), 1e10, 2e-5, {}});
    return part;
}

std::vector<RankReport> wellParts(std::int64_t ranks = 4) {
    std::vector<RankReport> parts;
    for (std::int64_t rank = 0; rank < ranks; ++rank) parts.push_back(wellPart(rank, ranks));
    return parts;
}

const std::vector<std::string> kNodes = {"n1", "n2", "n3", "n4"};

TEST(Judge, NodesThatAreAlikeAreAllWell) {
    const auto report = buildReport(wellParts(), kNodes);
    ASSERT_EQ(report.nodes.size(), 4u);
    EXPECT_TRUE(report.allOk());
    EXPECT_FALSE(report.anyBad());
    EXPECT_THAT(report.nodesToExclude(), IsEmpty());
    EXPECT_EQ(report.summary(), "All 4 nodes healthy.");
    EXPECT_EQ(report.links[1][2], 1e10);
    EXPECT_FALSE(report.links[2][2]) << "no way to itself was measured";
    EXPECT_EQ(report.nodes[3].figures.at("link"), 1e10);
}

TEST(Judge, ANodeThatComputesLessIsSlowAndOneThatComputesHalfAsMuchIsBad) {
    auto parts = wellParts();
    parts[1].flops = 0.7 * 5e13;
    parts[2].flops = 0.4 * 5e13;
    const auto report = buildReport(parts, kNodes);
    EXPECT_EQ(report.nodes[1].verdict, NodeVerdict::slow);
    EXPECT_EQ(report.nodes[2].verdict, NodeVerdict::bad);
    ASSERT_EQ(report.nodes[2].reasons.size(), 1u);
    EXPECT_THAT(report.nodes[2].reasons[0], HasSubstr("20000.0 GFLOP/s"));
    EXPECT_THAT(report.nodes[2].reasons[0], HasSubstr("47 % of the median"));
    EXPECT_THAT(report.nodesToExclude(), ElementsAre("n3"));
}

TEST(Judge, TheSlowestGpuOfANodeIsWhatTheOthersWaitFor) {
    auto parts = wellParts();
    auto second = wellPart(1);
    second.rank = 4;
    second.flops = 1e13;
    parts.push_back(second);
    EXPECT_EQ(buildReport(parts, kNodes).nodes[1].verdict, NodeVerdict::bad);
}

TEST(Judge, ANodeWithoutAnswerIsNamed) {
    auto parts = wellParts();
    parts.erase(parts.begin() + 2);
    const auto report = buildReport(parts, kNodes);
    EXPECT_EQ(report.nodes[2].name, "n3");
    EXPECT_THAT(report.nodes[2].reasons, ElementsAre("It never answered."));
    EXPECT_THAT(report.summary(), HasSubstr("Node n3 is bad. It never answered."));
}

TEST(Judge, ANodeThatStoppedAnsweringIsNamedWithThePhaseAndDoesNotSpoilThoseItLeftAlone) {
    auto parts = wellParts();
    parts[2].phase = "links";
    parts[2].links.clear();
    for (auto& part : parts)
        for (auto& link : part.links)
            if (link.node == "n3") link = {"n3", 0, 0, "Sending failed: timed out"};
    const auto report = buildReport(parts, kNodes);
    EXPECT_THAT(report.nodes[2].reasons, ElementsAre("Its rank 2 stopped answering in the phase \"links\"."));
    for (const std::size_t other : {0, 1, 3}) EXPECT_EQ(report.nodes[other].verdict, NodeVerdict::ok);
    EXPECT_EQ(report.links[0][2], 0.0);
}

TEST(Judge, WhereRankZeroIsGoneThoseThatWaitedForItAreNotBlamed) {
    auto parts = wellParts();
    for (auto& part : parts) part.phase = "all-reduce";
    parts[0].phase = "compute";
    const auto report = buildReport(parts, kNodes);
    EXPECT_THAT(report.nodesToExclude(), ElementsAre("n1"));
}

TEST(Judge, OfPairsWithoutAWayTheNodeThatIsInMostOfThemIsBad) {
    auto parts = wellParts();
    for (auto& part : parts)
        for (auto& link : part.links)
            if (part.node == "n2" || link.node == "n2") link = {link.node, 0, 0, "No connection: refused"};
    const auto report = buildReport(parts, kNodes);
    EXPECT_THAT(report.nodesToExclude(), ElementsAre("n2"));
    EXPECT_THAT(report.nodes[1].reasons[0], HasSubstr("cannot connect to n1, n3, n4"));
}

TEST(Judge, OfTwoNodesWithoutAWayOneIsLeftOutAndNotTheFirst) {
    auto parts = wellParts(2);
    for (auto& part : parts) part.links[0] = {part.links[0].node, 0, 0, "No connection"};
    EXPECT_THAT(buildReport(parts, {"n1", "n2"}).nodesToExclude(), ElementsAre("n2"));
}

TEST(Judge, ASlowLinkIsToldOfWithItsShare) {
    auto parts = wellParts();
    for (auto& part : parts)
        for (auto& link : part.links)
            if (part.node == "n4" || link.node == "n4") link.bytesPerSecond = 0.5e10;
    const auto report = buildReport(parts, kNodes);
    EXPECT_EQ(report.nodes[3].verdict, NodeVerdict::slow);
    EXPECT_THAT(report.nodes[3].reasons[0], HasSubstr("50 % of the median"));
    EXPECT_EQ(report.nodes[0].verdict, NodeVerdict::ok);
}

TEST(Judge, RatesOfRanksThatMeasureAtOnceAddUp) {
    auto parts = wellParts(2);
    for (std::int64_t rank = 0; rank < 2; ++rank) {
        auto second = wellPart(rank, 2);
        second.rank = 2 + rank;
        parts.push_back(second);
    }
    EXPECT_EQ(buildReport(parts, {"n1", "n2"}).links[0][1], 2e10);
}

TEST(Judge, AFolderThatCannotBeWrittenMakesANodeBad) {
    auto parts = wellParts();
    parts[3].problems = {"Cannot write /scratch/x: Read-only file system."};
    const auto report = buildReport(parts, kNodes);
    EXPECT_THAT(report.nodesToExclude(), ElementsAre("n4"));
    EXPECT_THAT(report.summary(), HasSubstr("Read-only file system"));
}

TEST(Judge, WhatTheDriverSaysOfGpusCounts) {
    auto parts = wellParts();
    parts[0].gpus = {{"NVIDIA H100", 61, 1900, 1980, 0}, {"NVIDIA H100", 62, 1900, 1980, 3}};
    parts[1].gpus = {{"NVIDIA H100", 93, 1900, 1980, 0}};
    parts[2].gpus = {{"NVIDIA H100", 60, 900, 1980, 0}};
    parts[3].xids = {13, 79};
    const auto report = buildReport(parts, kNodes);
    EXPECT_EQ(report.nodes[0].verdict, NodeVerdict::bad);
    EXPECT_THAT(report.nodes[0].reasons[0],
                HasSubstr("GPU 1 (NVIDIA H100) has had 3 uncorrectable ECC errors"));
    EXPECT_THAT(report.nodes[1].reasons, ElementsAre(HasSubstr("93 °C hot")));
    EXPECT_THAT(report.nodes[2].reasons, ElementsAre(HasSubstr("900 of 1980 MHz")));
    EXPECT_THAT(report.nodes[3].reasons, ElementsAre(HasSubstr("Xid 79"))) << "13 is a program's mistake";
}

TEST(Judge, AClockThatIsOffIsToldOf) {
    auto parts = wellParts();
    parts[1].skew = -3.25;
    const auto report = buildReport(parts, kNodes);
    EXPECT_EQ(report.nodes[1].verdict, NodeVerdict::slow);
    EXPECT_THAT(report.nodes[1].reasons, ElementsAre(HasSubstr("3.2 s behind")));
}

TEST(Judge, WhereMostNodesAreBadItIsNotTheNodes) {
    auto parts = wellParts();
    for (const std::size_t i : {0, 1, 2})
        parts[i].problems = {"Cannot write /scratch/x: No space left on device."};
    const auto report = buildReport(parts, kNodes);
    EXPECT_TRUE(report.anyBad());
    EXPECT_THAT(report.nodesToExclude(), IsEmpty());
}

TEST(PreflightReport, ReadsBackWhatItWrote) {
    auto parts = wellParts();
    parts[1].problems = {"Cannot write."};
    parts[2].gpus = {{"GPU", 60, 1, 2, 3}};
    parts[2].xids = {79};
    for (auto& part : parts) part = rankReportFromJson(toJson(part));
    auto report = buildReport(parts, kNodes);
    report.time = 1e9;
    report.job = "12_0";
    const auto read = reportFromJson(parseJson(toJson(report).dump(), "test"));
    EXPECT_EQ(toJson(read).dump(), toJson(report).dump());
    EXPECT_EQ(read.nodes[1].verdict, NodeVerdict::bad);
    EXPECT_THROW(reportFromJson(Json{{"nodes", 3}}), InputError);
    EXPECT_THROW(rankReportFromJson(Json::array()), InputError);
}

}  // namespace
}  // namespace dailies::preflight
