#include "trainer/checkpoint/checkpoints.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;

class CheckpointsTest : public testing::Test {
protected:
    TrainingState stateAt(std::int64_t step) {
        TrainingState state;
        state.step = step;
        state.weights.add("w", normalTensor(static_cast<std::uint64_t>(step), {3, 3}));
        state.average.add("w", normalTensor(1, {3, 3}));
        state.optimizer.add("w.first_moment", normalTensor(2, {3, 3}));
        state.progress = {{"loss_sum", 0.1 + 0.2}};
        return state;
    }
    fs::path folderOf(const std::string& name) { return folder.path() / "checkpoints" / name; }

    TemporaryFolder folder;
    Checkpoints checkpoints{folder.path(), 2};
};

TEST_F(CheckpointsTest, ComeBackWhole) {
    const auto state = stateAt(40);
    const auto saved = checkpoints.save(state);
    EXPECT_EQ(saved.path, "checkpoints/step-000000040");
    ASSERT_EQ(checkpoints.newest(), 40);
    const auto loaded = checkpoints.load(40);
    EXPECT_TRUE(at::equal(loaded.weights["w"], state.weights["w"]));
    EXPECT_TRUE(at::equal(loaded.average["w"], state.average["w"]));
    EXPECT_TRUE(at::equal(loaded.optimizer["w.first_moment"], state.optimizer["w.first_moment"]));
    EXPECT_EQ(loaded.progress.at("loss_sum").get<double>(), 0.1 + 0.2);
}

TEST_F(CheckpointsTest, KeepTheNewestOnly) {
    for (const std::int64_t step : {10, 20, 30, 40}) checkpoints.save(stateAt(step));
    EXPECT_EQ(checkpoints.newest(), 40);
    EXPECT_TRUE(fs::exists(folderOf("step-000000030")));
    EXPECT_FALSE(fs::exists(folderOf("step-000000020")));
}

TEST_F(CheckpointsTest, PassOverOnesThatAKillLeftUnfinished) {
    checkpoints.save(stateAt(10));
    checkpoints.save(stateAt(20));
    fs::remove(folderOf("step-000000020") / "manifest.json");
    EXPECT_EQ(checkpoints.newest(), 10);
    checkpoints.save(stateAt(30));
    fs::resize_file(folderOf("step-000000030") / "weights.safetensors", 20);
    EXPECT_EQ(checkpoints.newest(), 10);
}

TEST_F(CheckpointsTest, AnUnfinishedOneDoesNotPushOutAFinishedOne) {
    checkpoints.save(stateAt(10));
    fs::create_directories(folderOf("step-000000015"));
    fs::create_directories(folderOf("step-000000017"));
    checkpoints.save(stateAt(20));
    EXPECT_TRUE(fs::exists(folderOf("step-000000010") / "manifest.json"));
    EXPECT_FALSE(fs::exists(folderOf("step-000000015")));
}

TEST_F(CheckpointsTest, IgnoreForeignFoldersAndFiles) {
    fs::create_directories(folderOf("step-mine"));
    fs::create_directories(folderOf("best"));
    EXPECT_FALSE(checkpoints.newest());
    checkpoints.save(stateAt(10));
    EXPECT_EQ(checkpoints.newest(), 10);
    EXPECT_TRUE(fs::exists(folderOf("best")));
}

TEST_F(CheckpointsTest, SayWhatIsMissingWhenInspected) {
    EXPECT_THROW(inspectCheckpoint(folder.path()), InputError);
    checkpoints.save(stateAt(10));
    EXPECT_EQ(inspectCheckpoint(folderOf("step-000000010")).at("step"), 10);
    writeFileAtomically(folderOf("step-000000010") / "manifest.json", "{\"format\": 99}");
    EXPECT_THROW(inspectCheckpoint(folderOf("step-000000010")), InputError);
    writeFileAtomically(folderOf("step-000000010") / "manifest.json", "[]");
    EXPECT_THROW(inspectCheckpoint(folderOf("step-000000010")), InputError);
}

TEST_F(CheckpointsTest, LeaveNoTraceWhereTheyCannotBeWritten) {
    writeFileAtomically(folder.path() / "checkpoints", "a file where the folder should be");
    EXPECT_THROW(checkpoints.save(stateAt(10)), Error);
    EXPECT_FALSE(checkpoints.newest());
}

}  // namespace
}  // namespace dailies::trainer
