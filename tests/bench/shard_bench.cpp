// A train step on two ranks, each an only thread, that keep all states or divide them (layout.shard), beside
// the same model in Python whose weights PyTorch's fully_shard divides over Gloo: seconds on the clock, the
// losses, what a rank sends and the most memory that a step takes beyond what it began with. At the end weak
// scaling: as many clips a rank on one rank and on two, beside PyTorch's DistributedDataParallel.
//
//   shard_bench [STEPS]
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "tests/bench/bench_dit.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "tests/trainer/peak_allocation.h"
#include "trainer/checkpoint/safetensors.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/rank_groups.h"
#include "trainer/parallel/weight_shards.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

constexpr int kRanks = 2;
constexpr double kRate = 1e-3;  // as in shard_peer.py
constexpr double kMebibyte = 1 << 20;

struct Result {
    std::vector<double> seconds, losses;
    double sent = 0, peak = 0;  ///< bytes, by rank 0 in a step
    double best() const { return *std::ranges::min_element(seconds); }

    /// The same steps once more, timed at another moment.
    void add(const Result& again) {
        seconds.insert(seconds.end(), again.seconds.begin(), again.seconds.end());
        losses = again.losses;
        sent = again.sent;
    }
};

Result ourSteps(int ranks, const std::string& shard, const std::string& recompute, int steps) {
    Result result;
    onRanks(ranks, [&](Communicator& world) {
        auto shape = benchShape();
        shape.model.recompute = recompute;
        const auto config = configWith({{"shard", shard}});
        const RankGroups groups(Mesh(config, ranksOf(world)), world);
        const auto model = makeModel(shape, at::kCPU);
        const auto initial = liveBenchWeights();
        auto weights = shard == "zero3" ? std::make_unique<WeightShards>(initial, model->weightsOnMeta(),
                                                                         groups.dividing(), at::kCPU)
                                        : std::make_unique<WeightShards>(initial, groups.dividing());
        auto* units = weights->units();
        auto sum = groups.gradientSum(shard == "none" || shard == "zero1", true);
        if (units) sum.arrived = [units](std::size_t bucket) { units->release(bucket); };
        Gradients gradients(weights->all(), weights->layout(), sum);
        config::TrainConfig::Optimizer settings;
        settings.lr = kRate;
        const auto optimizer = makeOptimizer(weights->own(), settings, weights->ranges());
        const auto batch = benchBatch(ranks);
        const auto own = [&](const char* name) { return batch[name].narrow(0, world.rank(), 1); };
        for (int i = 0; i < steps; ++i) {
            auto together = at::ones({1});
            world.sum(together);
            const double sent = world.traffic().bytes();
            const PeakAllocation peak;
            const auto began = std::chrono::steady_clock::now();
            gradients.clear();
            gradients.beginPass(true);
            if (units) units->beginPass();
            const auto output =
                model
                    ->forward(weights->all(),
                              {{{.clips = own("clips")}}, own("times"), {.words = own("words")}})
                    .front();
            auto loss = at::mse_loss(output, own("target")) / static_cast<double>(ranks);
            loss.backward();
            if (units) units->endPass();
            gradients.finish();
            optimizer->step(gradients.own(), kRate);
            weights->gather();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
            const double sentInStep = world.traffic().bytes() - sent;
            auto mean = loss.detach();
            world.sum(mean);
            if (world.rank() != 0) continue;
            result.seconds.push_back(took.count());
            result.losses.push_back(mean.item<double>());
            result.sent = sentInStep;
            result.peak = static_cast<double>(peak.bytes());
        }
    });
    return result;
}

/// `how`: "fully_shard" or "ddp".
Result pythonSteps(const std::filesystem::path& file, int steps, int ranks, const std::string& how) {
    const auto run = runProcess(
        {DAILIES_SOURCE_FOLDER "/build/python/bin/python", DAILIES_SOURCE_FOLDER "/tests/bench/shard_peer.py",
         file.string(), std::to_string(steps), std::to_string(ranks), how},
        {.timeout = std::chrono::minutes(60)});
    if (!run.ok()) throw dailies::Error("The Python peer failed: " + run.err);
    const auto json = parseJson(run.out, "shard_peer.py");
    return {json.at("seconds").get<std::vector<double>>(), json.at("losses").get<std::vector<double>>()};
}

void print(const std::string& who, const Result& result, const Result& first) {
    double furthest = 0;
    for (std::size_t i = 0; i < result.losses.size(); ++i)
        furthest = std::max(furthest, std::abs(result.losses[i] / first.losses[i] - 1));
    std::printf("%-30s %.3f s a step; loss %.7f → %.7f, within %.1e of the first's", who.c_str(),
                result.best(), result.losses.front(), result.losses.back(), furthest);
    if (result.sent > 0)
        std::printf("; %.1f MiB sent, %.1f MiB taken", result.sent / kMebibyte, result.peak / kMebibyte);
    std::printf("\n");
}

/// Each figure the best of several turns, for other work comes and goes.
void printWeakScaling(const std::filesystem::path& file, int steps, double weightBytes) {
    Result alone, together, peerAlone, peerTogether;
    for (int turn = 0; turn < 3; ++turn) {
        alone.add(ourSteps(1, "none", "none", steps));
        together.add(ourSteps(kRanks, "none", "none", steps));
        peerAlone.add(pythonSteps(file, steps, 1, "ddp"));
        peerTogether.add(pythonSteps(file, steps, kRanks, "ddp"));
    }
    const auto print = [](const char* who, const Result& one, const Result& two) {
        std::printf("%-30s %.3f s a step on one rank, %.3f s on two: %.0f %% of twice the clips a second\n",
                    who, one.best(), two.best(), 100 * one.best() / two.best());
    };
    std::printf("weak scaling, a clip a rank\n");
    print("dailies-train", alone, together);
    print("DistributedDataParallel", peerAlone, peerTogether);
    std::printf("%-30s %.3f of 2·P·(n − 1)/n\n", "sent by a rank",
                together.sent / (weightBytes * 2 * (kRanks - 1) / kRanks));
}

}  // namespace

int main(int count, char** words) try {
    const int steps = count > 1 ? std::stoi(words[1]) : 5;
    const auto weights = liveBenchWeights();
    Params both = weights;
    const auto batch = benchBatch(kRanks);
    for (const auto& name : batch.names()) both.add(name, batch[name]);
    const auto file = std::filesystem::temp_directory_path() / "shard_bench.safetensors";
    writeSafetensors(file, both);

    std::printf("%lld weights, %.1f MiB; a clip of 512 tokens on each of %d ranks, fp32, one thread each\n",
                static_cast<long long>(weights.elementCount()),
                4 * static_cast<double>(weights.elementCount()) / kMebibyte, kRanks);
    const auto none = ourSteps(kRanks, "none", "none", steps);
    print("none", none, none);
    for (const auto* shard : {"zero2", "zero3"}) print(shard, ourSteps(kRanks, shard, "none", steps), none);
    print("fully_shard", pythonSteps(file, steps, kRanks, "fully_shard"), none);
    for (const auto* shard : {"none", "zero2", "zero3"})
        print(std::string(shard) + ", recompute full", ourSteps(kRanks, shard, "full", steps), none);
    printWeakScaling(file, steps, 4 * static_cast<double>(weights.elementCount()));
    std::filesystem::remove(file);
} catch (const std::exception& error) {
    std::cerr << "shard_bench: " << error.what() << '\n';
    return 1;
}
