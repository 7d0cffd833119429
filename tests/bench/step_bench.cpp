// A train step (forward, backward, fused AdamW) of a dit of 22 M weights, 12 layers of width 384 on 512
// tokens a clip, on one CPU thread: ours, beside the same model in Python, eager and compiled, from the same
// weights in the same run. Seconds are CPU seconds of a thread, which what else the machine does hardly
// changes.
//
//   step_bench [STEPS]
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "tests/bench/bench_dit.h"
#include "tests/bench/peer.h"
#include "tests/support/folders.h"
#include "trainer/optim/optimizer.h"
#include "trainer/serialization/safetensors.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

constexpr std::int64_t kClips = 2;

struct Result {
    std::vector<double> seconds, losses;
    double best() const { return *std::ranges::min_element(seconds); }

    /// The same steps once more, timed at another moment.
    void add(const Result& again) {
        seconds.insert(seconds.end(), again.seconds.begin(), again.seconds.end());
        losses = again.losses;
    }
};

Result ourSteps(const Params& initial, const Params& batch, int steps) {
    const auto model = makeModel(benchShape(), at::kCPU);
    const auto weights = initial.clone();
    for (const auto& weight : weights.tensors()) at::Tensor(weight).set_requires_grad(true);
    config::TrainConfig::Optimizer settings;
    settings.lr = 1e-4;
    const auto optimizer = makeOptimizer(weights, settings);
    Result result;
    for (int i = 0; i < steps; ++i) {
        const double began = test::cpuSeconds();
        const auto output =
            model->forward(weights, {{{.clips = batch["clips"]}}, batch["times"], {.words = batch["words"]}})
                .front();
        const auto loss = at::mse_loss(output, batch["target"]);
        loss.backward();
        std::vector<at::Tensor> gradients;
        for (const auto& weight : weights.tensors()) gradients.push_back(weight.grad());
        optimizer->step(gradients, settings.lr);
        for (const auto& weight : weights.tensors()) at::Tensor(weight).mutable_grad().reset();
        result.losses.push_back(loss.item<double>());
        result.seconds.push_back(test::cpuSeconds() - began);
    }
    return result;
}

Result pythonSteps(const std::filesystem::path& file, int steps, const char* mode) {
    const auto run = runProcess(
        {DAILIES_SOURCE_FOLDER "/build/python/bin/python", DAILIES_SOURCE_FOLDER "/tests/bench/step_peer.py",
         file.string(), std::to_string(steps), mode},
        {.timeout = std::chrono::minutes(60)});
    if (!run.ok()) throw dailies::Error("The Python peer failed: " + run.err);
    const auto json = parseJson(run.out, "step_peer.py");
    return {json.at("seconds").get<std::vector<double>>(), json.at("losses").get<std::vector<double>>()};
}

void print(const char* who, const Result& result, const Result& ours) {
    std::printf("%-28s %.3f s a step, loss %.7f → %.7f; ours is %.3f× as fast\n", who, result.best(),
                result.losses.front(), result.losses.back(), result.best() / ours.best());
}

}  // namespace

int main(int count, char** words) try {
    const int steps = count > 1 ? std::stoi(words[1]) : 5;
    at::set_num_threads(1);

    const auto weights = makeModel(benchShape(), at::kCPU)->initialWeights(1);
    const auto batch = benchBatch(kClips);
    Params both;
    for (const auto& name : weights.names()) both.add(name, weights[name]);
    for (const auto& name : batch.names()) both.add(name, batch[name]);
    const auto file = std::filesystem::temp_directory_path() / "step_bench.safetensors";
    writeSafetensors(file, both);

    // in turns, and the best of each: the machine's other work comes and goes
    Result ours, eager, compiled;
    for (int turn = 0; turn < 2; ++turn) {
        ours.add(ourSteps(weights, batch, steps));
        eager.add(pythonSteps(file, steps, "eager"));
        compiled.add(pythonSteps(file, steps, "compile"));
    }
    std::printf("%lld weights, %lld clips of 512 tokens, fp32, one thread\n",
                static_cast<long long>(weights.elementCount()), static_cast<long long>(kClips));
    print("dailies-train", ours, ours);
    print("Python, eager", eager, ours);
    print("Python, torch.compile", compiled, ours);
    std::filesystem::remove(file);
} catch (const std::exception& error) {
    std::cerr << "step_bench: " << error.what() << '\n';
    return 1;
}
