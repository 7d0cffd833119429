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
#include "tests/bench/sharded_steps.h"
#include "tests/support/folders.h"
#include "trainer/serialization/safetensors.h"

#include <cmath>
#include <cstdio>
#include <iostream>

using namespace dailies;
using namespace dailies::trainer;

namespace {

constexpr int kRanks = 2;
constexpr double kMebibyte = 1 << 20;

/// The same steps once more, timed at another moment.
void add(ShardedResult& result, const ShardedResult& again) {
    result.seconds.insert(result.seconds.end(), again.seconds.begin(), again.seconds.end());
    result.losses = again.losses;
    result.sent = again.sent;
}

/// `how`: "fully_shard" or "ddp".
ShardedResult pythonSteps(const std::filesystem::path& file, int steps, int ranks, const std::string& how) {
    const auto run = runProcess(
        {DAILIES_SOURCE_FOLDER "/build/python/bin/python", DAILIES_SOURCE_FOLDER "/tests/bench/shard_peer.py",
         file.string(), std::to_string(steps), std::to_string(ranks), how},
        {.timeout = std::chrono::minutes(60)});
    if (!run.ok()) throw dailies::Error("The Python peer failed: " + run.err);
    const auto json = parseJson(run.out, "shard_peer.py");
    return {json.at("seconds").get<std::vector<double>>(), json.at("losses").get<std::vector<double>>()};
}

void print(const std::string& who, const ShardedResult& result, const ShardedResult& first) {
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
void printWeakScaling(const std::filesystem::path& file, const Params& weights, const Params& batch,
                      int steps) {
    const double weightBytes = 4 * static_cast<double>(weights.elementCount());
    ShardedResult alone, together, peerAlone, peerTogether;
    for (int turn = 0; turn < 3; ++turn) {
        add(alone, trainSharded({1, "none", "none", steps}, weights, batch));
        add(together, trainSharded({kRanks, "none", "none", steps}, weights, batch));
        add(peerAlone, pythonSteps(file, steps, 1, "ddp"));
        add(peerTogether, pythonSteps(file, steps, kRanks, "ddp"));
    }
    const auto print = [](const char* who, const ShardedResult& one, const ShardedResult& two) {
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
    const auto ours = [&](const char* shard, const char* recompute) {
        return trainSharded({kRanks, shard, recompute, steps}, weights, batch);
    };
    const auto none = ours("none", "none");
    print("none", none, none);
    for (const auto* shard : {"zero2", "zero3"}) print(shard, ours(shard, "none"), none);
    print("fully_shard", pythonSteps(file, steps, kRanks, "fully_shard"), none);
    for (const auto* shard : {"none", "zero2", "zero3"})
        print(std::string(shard) + ", recompute full", ours(shard, "full"), none);
    printWeakScaling(file, weights, batch, steps);
    std::filesystem::remove(file);
} catch (const std::exception& error) {
    std::cerr << "shard_bench: " << error.what() << '\n';
    return 1;
}
