#include "tests/core/exchange/exchange_fixture.h"
#include "tests/core/exchange/tracker_files.h"

namespace dailies::exchange {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

/// A folder as a group leaves it behind: each kind of runs, and things that are none.
class ImportOfSeveral : public ExchangeTest {
protected:
    void SetUp() override {
        const std::string run = "work/mlruns/7/" + std::string(32, 'a') + "/";
        write("work/mlruns/7/meta.yaml", "experiment_id: '7'\nname: shapes\n");
        write(run + "meta.yaml", "run_id: " + std::string(32, 'a') + "\nrun_name: folder run\nstatus: 3\n");
        write(run + "metrics/loss", "1700000000100 0.5 1\n");
        {
            tracking::Store other(place("work/mlflow.db"));
            tracking::Run one;
            one.id = std::string(32, 'b');
            one.name = "database run";
            one.experiment = "shapes";
            other.importRun(one, {{"loss", {{1, 10, 0.5}}}});
        }
        write("work/tb/a/events.out.tfevents.1.host", scalarEvent(1, "loss", 0.5F));
        WandbFile wandb;
        wandb.addRun("abc123", "dreams");
        wandb.addRow(0, "0.5");
        write("work/wandb/offline-run-20260101_000000-abc123/run-abc123.wandb", wandb.bytes());
        write("work/wandb/offline-run-20260101_000000-abc123/files/media/table.csv", "step,x\n1,2\n");
        write("work/csv/baseline.csv", "step,loss\n1,0.5\n");
        write("work/data/index.csv", "clip,seconds\n1,2.5\n2,3.5\n");
        write("work/notes.md", "# notes");
    }
};

TEST_F(ImportOfSeveral, EveryKindIsTakenCountedAndTold) {
    const auto summary = import(place("work"));
    ASSERT_EQ(summary.sources.size(), 4u);
    std::vector<std::string> told;
    for (const auto& source : summary.sources)
        told.push_back(std::string(displayName(source.kind)) + ": " + source.what + ": " +
                       std::to_string(source.runsAdded));
    EXPECT_THAT(told,
                ElementsAre("MLflow: 1 database, 1 run folder: 2", "TensorBoard: 1 event file in 1 folder: 1",
                            "W&B: 1 run file: 1", "CSV: 1 file: 1"));
    EXPECT_EQ(summary.total().runsAdded, 5);
    for (const auto* name : {"folder run", "database run", "tb/a", "abc123", "baseline"}) runNamed(name);
    EXPECT_THAT(summary.skipped, Contains(Field(&SkippedItem::what, "CSV files without a step column")));
    EXPECT_EQ(import(place("work")).total().runsUnchanged, 5);
}

TEST_F(ImportOfSeveral, OnlyTheKindThatIsAskedForAndTheRestIsTold) {
    const auto summary = import(place("work"), {.kinds = {SourceKind::TensorBoard}});
    EXPECT_EQ(summary.total().runsAdded, 1);
    std::vector<std::string> left;
    for (const auto& entry : summary.skipped) left.push_back(entry.what);
    EXPECT_THAT(left, testing::IsSupersetOf({"MLflow (1 database, 1 run folder)", "W&B (1 run file)"}));
}

TEST_F(ImportOfSeveral, WhatIsThereIsFoundWithoutImporting) {
    const auto found = findSources(place("work"));
    EXPECT_EQ(found.sources.size(), 4u);
    EXPECT_THAT(m_store.runs(), IsEmpty());
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(findSources(place("work"), {}, {}, stop.get_token()), Cancelled);
}

TEST_F(ImportOfSeveral, WhatLooksLikeRunsAndIsNotReadIsNamed) {
    write("work/other.db", std::string("SQLite format 3") + '\0' + std::string(84, ' '));
    write("work/.aim/meta", "x");
    write("work/wandb/offline-run-20260102_000000-new/run-new.wandb", "");
    const auto summary = import(place("work"));
    EXPECT_EQ(summary.total().runsAdded, 5);
    for (const auto* part : {"other.db", ".aim", "run-new.wandb"})
        EXPECT_THAT(summary.skipped, Contains(Field(&SkippedItem::what, HasSubstr(part))));
}

TEST_F(ImportOfSeveral, EventFilesThatWandbMirrorsAreNotTakenTwice) {
    write("work/wandb/offline-run-20260101_000000-abc123/files/events.out.tfevents.1.host", "copied");
    const auto summary = import(place("work"));
    EXPECT_EQ(summary.total().runsAdded, 4);
    EXPECT_THAT(summary.skipped,
                Contains(Field(&SkippedItem::why, HasSubstr("runs of W&B hold the same points"))));
}

TEST_F(ImportOfSeveral, AStoreInTheFolderThatIsImportedIntoIsPassedOver) {
    tracking::Store inside(place("work/dailies.db"));
    EXPECT_EQ(importFrom(inside, place("work")).total().runsAdded, 5);
}

}  // namespace
}  // namespace dailies::exchange
