// What saving costs training, beside the same save made to wait for the disk; and an optimizer's step beside
// torch.optim.AdamW(fused=True) and bitsandbytes in Python, in the same run. One thread computes.
//
//   checkpoint_bench [FOLDER] [MEGABYTES]     a folder on the disk to measure (default .), state (default
//   1024 MB)
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "tests/support/folders.h"
#include "trainer/checkpoint/checkpoint_saver.h"
#include "trainer/optim/optimizer.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace {

using namespace dailies;
using namespace dailies::trainer;

constexpr std::int64_t kElements = std::int64_t{1} << 20;  // of each tensor: 4 MiB
constexpr int kSaves = 5, kSteps = 8;

double secondsNow() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

Params manyTensors(std::int64_t count) {
    Params tensors;
    for (std::int64_t i = 0; i < count; ++i)
        tensors.add("layers." + std::to_string(i) + ".weight", at::randn({kElements / 1024, 1024}));
    return tensors;
}

/// As long as a training step takes its time to touch the weights: forward and backward only read them.
void compute(double seconds, const Params& weights) {
    const auto until = secondsNow() + seconds;
    const auto x = at::ones({64, 1024});
    while (secondsNow() < until)
        for (const auto& weight : weights.tensors()) {
            at::matmul(x, weight.slice(0, 0, 256).t());
            if (secondsNow() >= until) break;
        }
}

void saving(const std::filesystem::path& folder, std::int64_t megabytes) {
    TrainingState state;
    // weights, average and two moments of 4 bytes a number each
    state.weights = manyTensors(megabytes / 16);
    state.average = state.weights.clone();
    for (const auto* moment : {".first_moment", ".second_moment"})
        for (const auto& name : state.weights.names())
            state.optimizer.add(name + moment, state.weights[name].clone());
    config::TrainConfig::Checkpoint config;
    config.keep = 1;
    const Checkpoints checkpoints(folder, config);
    std::vector<double> waiting, whole;
    std::map<double, std::vector<double>> stalls;  // by the seconds of forward and backward after the save
    CheckpointSaver clipExporter(checkpoints);
    for (int i = 0; i < kSaves; ++i) {
        auto begin = secondsNow();
        state.step = 10 * i + 1;
        checkpoints.save(state);
        waiting.push_back(secondsNow() - begin);
        for (const double step : {1.0, 0.0}) {
            ++state.step;
            clipExporter.begin(state);
            compute(step, state.weights);
            clipExporter.waitUntilCopied();
            clipExporter.finish();
            const auto result = clipExporter.takeFinished().back();
            if (!result.error.empty()) throw Error(result.error);
            if (i > 0) stalls[step].push_back(result.stallSeconds);  // the first makes the buffers
            whole.push_back(result.seconds);
        }
    }
    const double rival = median(waiting);
    std::printf("save that waits for the disk          %7.3f s for %lld MB\n", rival,
                static_cast<long long>(megabytes));
    std::printf("save while training goes on           %7.3f s until it lies on the disk\n", median(whole));
    std::printf("  stall, steps of 1 s                 %7.4f s   %5.2f %% of the save that waits\n",
                median(stalls[1.0]), 100 * median(stalls[1.0]) / rival);
    std::printf("  stall, weights changed at once      %7.4f s   %5.2f %%\n", median(stalls[0.0]),
                100 * median(stalls[0.0]) / rival);
}

double stepSeconds(const char* name, const Params& weights) {
    config::TrainConfig::Optimizer config;
    config.name = name;
    const auto optimizer = makeOptimizer(weights, config);
    std::vector<at::Tensor> gradients;
    for (const auto& weight : weights.tensors()) gradients.push_back(at::randn_like(weight));
    std::vector<double> seconds;
    for (int i = 0; i < kSteps; ++i) {
        const double begin = secondsNow();
        optimizer->step(gradients, 1e-3);
        if (i > 0) seconds.push_back(secondsNow() - begin);
    }
    return median(seconds);
}

void stepping() {
    constexpr std::int64_t kTensors = 32;
    const auto weights = manyTensors(kTensors);
    const auto peer =
        runProcess({DAILIES_SOURCE_FOLDER "/tests/interop/trainer/with_torch.sh",
                    DAILIES_SOURCE_FOLDER "/tests/bench/optimizer_peer.py", std::to_string(kTensors),
                    std::to_string(kElements), std::to_string(kSteps)},
                   {.timeout = std::chrono::minutes(5)});
    if (!peer.ok()) throw Error("The Python optimizers failed: " + peer.out + peer.err);
    const auto rivals = parseJson(peer.out, "optimizer_peer.py");
    for (const auto& [name, rivalName] : {std::pair{"adamw", "torch.optim.AdamW(fused), Python"},
                                          {"adamw8bit", "bitsandbytes AdamW8bit, Python"}}) {
        const double ours = stepSeconds(name, weights), rival = rivals.at(name).get<double>();
        std::printf("%-37s %7.4f s a step of %lld numbers\n", rivalName, rival,
                    static_cast<long long>(kTensors * kElements));
        std::printf("%-37s %7.4f s   %5.2f x its speed\n", name, ours, rival / ours);
    }
}

}  // namespace

int main(int count, char** words) {
    try {
        at::set_num_threads(1);
        at::NoGradGuard noGradients;
        const std::filesystem::path parent = count > 1 ? words[1] : ".";
        const auto folder = parent / "checkpoint-bench";
        std::filesystem::create_directories(folder);
        saving(folder, count > 2 ? std::strtoll(words[2], nullptr, 10) : 1024);
        std::filesystem::remove_all(folder);
        stepping();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "checkpoint_bench: %s\n", error.what());
        return 1;
    }
}
