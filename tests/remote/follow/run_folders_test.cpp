#include "remote/follow/run_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kMlflow(32, 'a');
const std::string kOther(32, 'b');

TEST(RunFolders, AreThoseInWhichATrackerWrites) {
    EXPECT_THAT(
        runFolders({"exp1/events.out.tfevents.1.host", "exp2/deep/er/metrics.csv", "exp1/samples/a.mp4"}),
        ElementsAre("exp1", "exp2/deep/er"));
    EXPECT_THAT(runFolders({"events.out.tfevents.1.host"}), ElementsAre(""));
}

TEST(RunFolders, TrackersOwnFoldersArePartsOfTheRun) {
    EXPECT_THAT(runFolders({"exp1/tensorboard/events.out.tfevents.1.h",
                            "exp2/logs/tb/events.out.tfevents.1.h", "exp3/trackio/metrics.jsonl"}),
                ElementsAre("exp1", "exp2", "exp3"));
}

TEST(RunFolders, ATrackersFolderOfRunsIsOneWhereItHoldsOne) {
    EXPECT_THAT(runFolders({"exp1/wandb/offline-run-1-x/run-x.wandb", "exp1/train.log"}),
                ElementsAre("exp1"));
    EXPECT_THAT(runFolders({"wandb/offline-run-1-x/run-x.wandb", "wandb/offline-run-2-y/run-y.wandb"}),
                ElementsAre("wandb/offline-run-1-x", "wandb/offline-run-2-y"));
    EXPECT_THAT(runFolders({"lightning_logs/version_0/metrics.csv", "lightning_logs/version_1/metrics.csv"}),
                ElementsAre("lightning_logs/version_0", "lightning_logs/version_1"));
    EXPECT_THAT(runFolders({"runs/Nov25_a/events.out.tfevents.1.h", "runs/Nov26_b/events.out.tfevents.1.h"}),
                ElementsAre("runs/Nov25_a", "runs/Nov26_b"));
}

TEST(RunFolders, MlflowsAreKnownByTheirNames) {
    EXPECT_THAT(runFolders({"mlruns/0/" + kMlflow + "/metrics/train/loss",
                            "mlruns/0/" + kMlflow + "/params/lr", "mlruns/0/" + kOther + "/metrics/loss"}),
                ElementsAre("mlruns/0/" + kMlflow, "mlruns/0/" + kOther));
}

TEST(RunFolders, LogsAreRunsOnlyWhereNoTrackerIs) {
    EXPECT_THAT(runFolders({"slurm-12.out", "exp1/metrics.csv"}), ElementsAre("exp1"));
    EXPECT_THAT(runFolders({"exp1/logs/train.log", "exp2/out.log"}), ElementsAre("exp1", "exp2"));
    EXPECT_THAT(runFolders({"exp1/metrics.csv", "exp1/logs/train.log"}), ElementsAre("exp1"));
}

TEST(RunFolders, DataSetsAndVideosAreNone) {
    EXPECT_THAT(runFolders({"data/metadata.jsonl", "data/captions.jsonl", "clips/a.mp4"}), IsEmpty());
}

}  // namespace
}  // namespace dailies::remote
