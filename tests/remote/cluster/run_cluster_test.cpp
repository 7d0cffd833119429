#include "remote/cluster/run_cluster.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/tracking/run_tags.h"
#include "remote/launch/source_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kOnNone =
    "Run 'mine' was not launched by Dailies, so it is on no cluster. "
    "Choose a run that Dailies launched, or launch a sweep file of your own.";

std::string refusal(const std::function<void()>& ask) {
    try {
        ask();
    } catch (const InputError& error) {
        return error.full();
    }
    return "nothing was refused";
}

tracking::Run makeRun(const std::string& name, const std::string& cluster) {
    tracking::Run run;
    run.id = newId();
    run.experiment = "tests";
    run.name = name;
    if (!cluster.empty()) run.tags[tracking::tag::kCluster] = cluster;
    return run;
}

TEST(RunCluster, IsThatOfTheRunsTag) {
    EXPECT_EQ(clusterOf(makeRun("mine", "lab")), "lab");
    auto empty = makeRun("mine", "");
    EXPECT_EQ(refusal([&] { clusterOf(empty); }), kOnNone);
    empty.tags[tracking::tag::kCluster] = "";
    EXPECT_EQ(refusal([&] { clusterOf(empty); }), kOnNone);
    EXPECT_THAT(refusal([] { clusterOf(makeRun("a\x1b[31m", "")); }), HasSubstr("'a\u241B[31m'"));
}

TEST(RunCluster, HasToBeTheOneThatIsConnected) {
    EXPECT_EQ(refusal([] { requireConnected(nullptr, makeRun("mine", "")); }), kOnNone);
    EXPECT_EQ(refusal([] { requireConnected(nullptr, makeRun("mine", "lab")); }),
              "Run 'mine' is on cluster 'lab', which is not connected. "
              "Connect to cluster 'lab', then try again.");
    tracking::SweepRecord sweep;
    sweep.name = "lr";
    sweep.cluster = "lab";
    EXPECT_THAT(refusal([&] { requireConnected(nullptr, sweep); }),
                HasSubstr("Sweep 'lr' is on cluster 'lab', which is not connected."));
}

TEST(RunCluster, OfRunsAndSweepsInAStoreIsToldInTheSameWords) {
    const TemporaryFolder folder("dailies-run-cluster");
    tracking::Store store(folder.path() / "dailies.db");
    const auto lab = makeRun("one", "lab"), more = makeRun("two", "lab"), far = makeRun("three", "far"),
               mine = makeRun("mine", "");
    for (const auto& run : {lab, more, far, mine}) store.createRun(run);

    EXPECT_THAT(runsOfOneCluster(store, {lab.id, more.id}, "score"), SizeIs(2));
    EXPECT_EQ(refusal([&] { runsOfOneCluster(store, {lab.id, mine.id}, "score"); }), kOnNone);
    EXPECT_THAT(refusal([&] {
                    runsOfOneCluster(store, {lab.id, far.id}, "score");
                }),
                HasSubstr("several clusters: far, lab"));
    EXPECT_EQ(refusal([&] { requireSweep(store, mine); }), kOnNone);
    EXPECT_THAT(refusal([&] { requireSweep(store, lab); }), HasSubstr("is not in this store"));
}

}  // namespace
}  // namespace dailies::remote
