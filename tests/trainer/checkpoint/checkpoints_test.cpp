#include "trainer/checkpoint/checkpoints.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/checkpoint/checkpoint_config.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <cstdio>
#include <set>

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

    bool has(std::int64_t step) {
        char name[32];
        std::snprintf(name, sizeof name, "step-%09d", static_cast<int>(step));
        return fs::exists(folderOf(name) / "manifest.json");
    }

    TemporaryFolder folder;
    Checkpoints checkpoints{folder.path(), {}};
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

TEST_F(CheckpointsTest, KeepMilestonesForEver) {
    auto config = keepingNewest(1);
    config.keep_every = 30;
    const Checkpoints keeping(folder.path(), config);
    for (const std::int64_t step : {10, 20, 30, 40, 50, 60, 70}) keeping.save(stateAt(step));
    for (const std::int64_t step : {10, 20, 40, 50}) EXPECT_FALSE(has(step)) << step;
    for (const std::int64_t step : {30, 60, 70}) EXPECT_TRUE(has(step)) << step;
}

TEST_F(CheckpointsTest, KeepTheBestByAMetric) {
    const std::map<std::int64_t, double> losses{{10, 0.5}, {20, 0.2}, {30, NAN}, {40, 0.3}, {50, 0.4}};
    for (const auto* which : {"lowest", "highest"}) {
        const TemporaryFolder other;
        auto config = keepingNewest(1);
        config.keep_best = "val/loss";
        config.best_is = which;
        const Checkpoints keeping(other.path(), config);
        for (const auto& [step, loss] : losses) {
            auto state = stateAt(step);
            state.metrics = {{"val/loss", loss}, {"loss", 0}};
            keeping.save(state);
        }
        auto unmeasured = stateAt(60);
        keeping.save(unmeasured);
        std::set<std::string> left;
        for (const auto& found : fs::directory_iterator(other.path() / "checkpoints"))
            left.insert(found.path().filename().string());
        const auto* best = std::string(which) == "lowest" ? "step-000000020" : "step-000000010";
        EXPECT_EQ(left, (std::set<std::string>{best, "step-000000060"})) << which;
    }
}

TEST_F(CheckpointsTest, AreSpreadOverFilesOfTheSizeAskedFor) {
    auto state = stateAt(10);
    for (int i = 0; i < 10; ++i)
        state.weights.add("layer" + std::to_string(i), normalTensor(static_cast<std::uint64_t>(i), {16, 64}));
    config::TrainConfig::Checkpoint config;
    config.shard_bytes = 10'000;
    const Checkpoints sharded(folder.path(), config);
    sharded.save(state);
    EXPECT_TRUE(fs::exists(folderOf("step-000000010") / "weights-00001-of-00005.safetensors"));
    for (const auto& file : fs::directory_iterator(folderOf("step-000000010")))
        if (file.path().extension() == ".safetensors") {
            EXPECT_LT(fs::file_size(file), 11000);
        }
    const auto loaded = sharded.load(10);
    for (const auto& name : state.weights.names())
        EXPECT_TRUE(at::equal(loaded.weights[name], state.weights[name])) << name;
}

TEST_F(CheckpointsTest, KeepTensorsOfEveryType) {
    TrainingState state = stateAt(10);
    state.optimizer = {};
    for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf, at::kByte, at::kLong})
        state.optimizer.add(c10::toString(type), (normalTensor(3, {5, 3}) * 40).abs().to(type));
    checkpoints.save(state);
    const auto loaded = checkpoints.load(10);
    for (const auto& name : state.optimizer.names()) {
        EXPECT_EQ(loaded.optimizer[name].scalar_type(), state.optimizer[name].scalar_type());
        EXPECT_TRUE(at::equal(loaded.optimizer[name], state.optimizer[name])) << name;
    }
}

TEST_F(CheckpointsTest, OfAnotherFormatAreNotPassedOver) {
    checkpoints.save(stateAt(10));
    writeFileAtomically(folderOf("step-000000020") / "manifest.json", R"({"format": 1, "step": 20})");
    try {
        checkpoints.newest();
        ADD_FAILURE() << "a run would begin anew beside its own checkpoint";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("has format 1; this trainer reads 2"), std::string::npos);
    }
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
