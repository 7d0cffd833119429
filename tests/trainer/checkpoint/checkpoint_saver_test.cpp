#include "trainer/checkpoint/checkpoint_saver.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/checkpoint/checkpoint_config.h"
#include "trainer/tensors/random_tensor.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <chrono>
#include <csignal>
#include <random>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

/// Tensors that hold nothing but the number of their step, so that a mixture of two steps shows.
TrainingState uniformState(std::int64_t step, std::int64_t elements = 100'000) {
    TrainingState state;
    state.step = step;
    for (int i = 0; i < 4; ++i) {
        const auto name = "layer" + std::to_string(i);
        state.weights.add(name, at::full({elements}, static_cast<double>(step)));
        state.average.add(name, at::full({elements}, -static_cast<double>(step)));
        state.optimizer.add(name + ".first_moment", at::full({elements}, step % 251, at::kByte));
    }
    return state;
}

void advance(const TrainingState& state) {
    for (const auto* params : {&state.weights, &state.average, &state.optimizer})
        for (auto tensor : params->tensors()) tensor.add_(1);
}

void expectUniform(const TrainingState& loaded) {
    for (const auto& name : loaded.weights.names()) {
        EXPECT_TRUE((loaded.weights[name] == static_cast<double>(loaded.step)).all().item<bool>());
        EXPECT_TRUE((loaded.average[name] == -static_cast<double>(loaded.step)).all().item<bool>());
        EXPECT_TRUE((loaded.optimizer[name + ".first_moment"] == loaded.step % 251).all().item<bool>());
    }
}

TEST(CheckpointSaver, WritesTheStateOfItsStepWhileTrainingGoesOn) {
    const TemporaryFolder folder;
    const Checkpoints checkpoints(folder.path(), keepingNewest(100));
    CheckpointSaver saver(checkpoints);
    auto state = uniformState(1);
    std::vector<CheckpointSaver::Result> results;
    for (std::int64_t step = 1; step <= 8; ++step) {
        state.step = step;
        if (step > 1) state = uniformState(step);
        saver.begin(state);
        saver.waitUntilCopied();
        advance(state);
        for (auto& result : saver.takeFinished()) results.push_back(std::move(result));
    }
    saver.finish();
    for (auto& result : saver.takeFinished()) results.push_back(std::move(result));
    ASSERT_EQ(results.size(), 8U);
    for (std::int64_t step = 1; step <= 8; ++step) {
        EXPECT_EQ(results[static_cast<std::size_t>(step - 1)].step, step);
        EXPECT_EQ(results[static_cast<std::size_t>(step - 1)].error, "");
        expectUniform(checkpoints.load(step));
    }
}

TEST(CheckpointSaver, TellsOfADiskThatRefusesAndGoesOn) {
    const TemporaryFolder folder;
    const Checkpoints checkpoints(folder.path(), {});
    CheckpointSaver saver(checkpoints);
    saver.begin(uniformState(1));
    saver.finish();
    std::filesystem::permissions(folder.path() / "checkpoints", std::filesystem::perms::none);
    std::filesystem::rename(folder.path() / "checkpoints", folder.path() / "aside");
    writeFileAtomically(folder.path() / "checkpoints", "a file where the folder should be");
    saver.begin(uniformState(2));
    saver.finish();
    std::filesystem::remove(folder.path() / "checkpoints");
    std::filesystem::rename(folder.path() / "aside", folder.path() / "checkpoints");
    std::filesystem::permissions(folder.path() / "checkpoints", std::filesystem::perms::owner_all);
    const auto results = saver.takeFinished();
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].error, "");
    EXPECT_THAT(results[1].error, HasSubstr("Cannot write"));
    EXPECT_EQ(checkpoints.newest(), 1);
    saver.begin(uniformState(3));
    saver.finish();
    EXPECT_EQ(checkpoints.newest(), 3);
}

/// Runs `work` in a child process; the parent does not wait.
template <class Work>
pid_t inChild(const Work& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    work();
    ::_exit(0);
}

TEST(CheckpointSaver, KilledAtAnyMomentLeavesAWholeCheckpoint) {
    std::mt19937 random(std::random_device{}());
    const TemporaryFolder folder;
    auto config = keepingNewest(2);
    config.keep_every = 50;
    const Checkpoints checkpoints(folder.path(), config);
    const auto began = std::chrono::steady_clock::now();
    checkpoints.save(uniformState(1, 1000));
    // as long as a few saves take on this disk: kills then fall on every part of them
    const auto longest = 3 * (std::chrono::steady_clock::now() - began) + std::chrono::milliseconds(10);
    const auto patience = std::chrono::seconds(15);
    std::int64_t newest = 1, advances = 0;
    for (int trial = 0; trial < 60 && std::chrono::steady_clock::now() - began < patience; ++trial) {
        const pid_t child = inChild([&] {
            CheckpointSaver saver(checkpoints);
            for (std::int64_t step = newest + 1;; ++step) {
                saver.begin(uniformState(step, 1000));
                saver.waitUntilCopied();
            }
        });
        std::this_thread::sleep_for(std::uniform_real_distribution<double>(0, 1)(random) * longest);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const auto found = checkpoints.newest();
        ASSERT_TRUE(found) << "trial " << trial;
        ASSERT_GE(*found, newest) << "an older one came back";
        expectUniform(checkpoints.load(*found));
        advances += *found > newest;
        newest = *found;
    }
    EXPECT_GT(advances, 0) << "the kills fell before any save could end";
}

TEST(CheckpointSaver, OnAFullDiskKeepsTheOldOne) {
    const TemporaryFolder folder;
    // a real file system of 4 MiB where this user may mount one, else a limit on the size of files
    const bool mounted = ::mount("none", folder.path().c_str(), "tmpfs", 0, "size=4m") == 0;
    const pid_t child = inChild([&] {
        at::set_num_threads(1);  // LibTorch's own threads do not outlive a fork
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{2'000'000, 2'000'000};
        if (!mounted) ::setrlimit(RLIMIT_FSIZE, &limit);
        const Checkpoints checkpoints(folder.path(), keepingNewest(1));
        CheckpointSaver saver(checkpoints);
        saver.begin(uniformState(1, 50'000));  // 1.8 MB
        saver.finish();
        saver.begin(uniformState(2, 200'000));  // 7.2 MB
        saver.finish();
        const auto results = saver.takeFinished();
        const bool told =
            results.size() == 2 && results[0].error.empty() &&
            results[1].error.find(mounted ? "No space left" : "File too large") != std::string::npos;
        ::_exit(told && checkpoints.newest() == 1 ? 0 : 1);
    });
    int status = 0;
    ::waitpid(child, &status, 0);
    const Checkpoints checkpoints(folder.path(), {});
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(checkpoints.newest(), 1);
    expectUniform(checkpoints.load(1));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "checkpoints/step-000000002"));
    if (mounted) ::umount(folder.path().c_str());
}

}  // namespace
}  // namespace dailies::trainer
