// Steps of a model whose weights ranks divide (layout.shard zero3), for PyTorch's fully_shard to compare
// with.
//   sharding_tool FILE OUT STEPS   writes the weights and the batch to FILE, trains two ranks and writes the
//                                  weights after the last step and the "losses" of all to OUT
#include "tests/bench/bench_dit.h"
#include "tests/bench/sharded_steps.h"
#include "trainer/serialization/safetensors.h"

#include <ATen/Parallel.h>

#include <iostream>

using namespace dailies::trainer;

int main(int count, char** words) try {
    if (count != 4) throw std::runtime_error("FILE OUT STEPS");
    constexpr std::int64_t kDepth = 2;
    constexpr int kRanks = 2;
    at::set_num_threads(1);
    const auto weights = liveBenchWeights(kDepth);
    const auto batch = benchBatch(kRanks);
    Params given = weights;
    for (const auto& name : batch.names()) given.add(name, batch[name]);
    writeSafetensors(words[1], given);
    auto result =
        trainSharded({.ranks = kRanks, .steps = std::stoi(words[3]), .depth = kDepth}, weights, batch);
    result.weights.add("losses", at::tensor(result.losses).to(at::kFloat));
    writeSafetensors(words[2], result.weights);
} catch (const std::exception& error) {
    std::cerr << "sharding_tool: " << error.what() << '\n';
    return 1;
}
