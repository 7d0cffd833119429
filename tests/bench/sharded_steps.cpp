#include "tests/bench/sharded_steps.h"

#include "tests/bench/bench_dit.h"
#include "tests/trainer/parallel/thread_ranks.h"
#include "tests/trainer/peak_allocation.h"
#include "trainer/optim/optimizer.h"
#include "trainer/parallel/parallel_dims.h"
#include "trainer/parallel/sharded_params.h"

#include <chrono>

namespace dailies::trainer {

ShardedResult trainSharded(const ShardedSteps& what, const Params& initial, const Params& batch) {
    ShardedResult result;
    onRanks(what.ranks, [&](ProcessGroup& world) {
        auto shape = benchShape(what.depth);
        shape.model.recompute = what.recompute;
        const auto config = configWith({{"shard", what.shard}});
        const ParallelDims groups(Mesh(config, ranksOf(world)), world);
        const auto model = makeModel(shape, at::kCPU);
        auto weights = what.shard == "zero3"
                           ? std::make_unique<ShardedParams>(initial, model->weightsOnMeta(),
                                                             groups.shardingGroup(), at::kCPU)
                           : std::make_unique<ShardedParams>(initial.clone(), groups.shardingGroup());
        auto* units = weights->units();
        auto sum = groups.gradientReduceOptions(what.shard == "none" || what.shard == "zero1", true);
        if (units) sum.onGradientReady = [units](std::size_t bucket) { units->release(bucket); };
        Gradients gradients(weights->all(), weights->layout(), sum);
        config::TrainConfig::Optimizer settings;
        settings.lr = what.rate;
        const auto optimizer = makeOptimizer(weights->own(), settings, weights->ranges());
        const auto own = [&](const char* name) { return batch[name].narrow(0, world.rank(), 1); };
        for (int i = 0; i < what.steps; ++i) {
            auto together = at::ones({1});
            world.allReduce(together);
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
            auto loss = at::mse_loss(output, own("target")) / static_cast<double>(what.ranks);
            loss.backward();
            if (units) units->endPass();
            gradients.finish();
            optimizer->step(gradients.own(), what.rate);
            weights->gather();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
            const double sentInStep = world.traffic().bytes() - sent;
            auto mean = loss.detach();
            world.allReduce(mean);
            if (world.rank() != 0) continue;
            result.seconds.push_back(took.count());
            result.losses.push_back(mean.item<double>());
            result.sent = sentInStep;
            result.peak = static_cast<double>(peak.bytes());
        }
        const at::NoGradGuard noGradients;
        const auto whole = weights->whole();
        if (world.rank() == 0) result.weights = whole.clone();
    });
    return result;
}

}  // namespace dailies::trainer
