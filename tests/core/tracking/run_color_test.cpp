#include "core/tracking/run_color.h"

#include "core/base/ids.h"
#include "core/tracking/run_tags.h"
#include "tests/core/tracking/store_fixture.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace dailies::tracking {
namespace {

Run runAt(std::int64_t startMs) {
    Run run;
    run.id = newId();
    run.name = "run";
    run.experiment = "Default";
    run.startMs = startMs;
    return run;
}

std::map<std::string, std::size_t> byRun(const std::vector<RunColor>& colors) {
    std::map<std::string, std::size_t> map;
    for (const auto& color : colors) map[color.runId] = color.color;
    return map;
}

TEST(RunColors, TwelveRunsInARowAllDiffer) {
    std::vector<tracking::Run> runs;
    for (int i = 0; i < 12; ++i) runs.push_back(runAt(i));
    std::set<std::size_t> seen;
    for (const auto& color : runColors(runs)) {
        seen.insert(color.color);
        EXPECT_FALSE(color.stored);
    }
    EXPECT_EQ(seen.size(), runs.size());
}

TEST(RunColors, AStoredColourStaysWhateverBecomesOfTheOtherRuns) {
    std::vector<tracking::Run> runs;
    for (int i = 0; i < 30; ++i) runs.push_back(runAt(i));
    const auto first = byRun(runColors(runs));
    for (tracking::Run& run : runs) run.tags[tag::kColor] = std::string(kRunColors[first.at(run.id)]);
    runs.erase(runs.begin(), runs.begin() + 7);  // archived
    runs[3].startMs = 1000;                      // it had waited in the queue
    runs.insert(runs.begin(), runAt(5));         // imported
    for (const auto& [id, color, stored] : runColors(runs)) {
        if (stored) {
            EXPECT_EQ(color, first.at(id));
        }
    }
}

TEST(RunColors, AreGivenWhenTheStoreTakesARunAndReadWithIt) {
    TemporaryFolder folder;
    Store store(folder.path() / "dailies.db");
    std::vector<std::string> ids;
    for (int i = 0; i < 12; ++i) {
        const tracking::Run run = runAt(1000 - i);  // launched in this order, started in another
        ids.push_back(run.id);
        store.createRun(run);
    }
    const auto before = byRun(runColors(store.runs()));
    EXPECT_EQ(before.size(), 12U);
    std::set<std::size_t> seen;
    for (const auto& [id, color] : before) seen.insert(color);
    EXPECT_EQ(seen.size(), 12U);
    store.deleteRuns({ids[0], ids[5]});
    tracking::Run chosen = runAt(0);
    chosen.tags[tag::kColor] = "pink";
    store.createRun(chosen);
    for (const auto& [id, color, stored] : runColors(store.runs())) {
        EXPECT_TRUE(stored);
        EXPECT_EQ(kRunColors[color], id == chosen.id ? "pink" : kRunColors[before.at(id)]);
    }
}

TEST(RunColors, AnUnknownNameIsAsGoodAsNone) {
    tracking::Run run = runAt(0);
    run.tags[tag::kColor] = "\"><script>";
    EXPECT_FALSE(runColors({run}).front().stored);
    EXPECT_EQ(runColors({run}).front().color, newRunColor(run.id));
}

}  // namespace
}  // namespace dailies::tracking
