#include "trainer/training/certificate.h"

#include "trainer/denoising/batch_loader.h"
#include "trainer/lora/trained_part.h"
#include "trainer/models/model_with_text_encoder.h"
#include "trainer/parallel/tensor_parallel_shards.h"
#include "trainer/runtime/device_phase_clock.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/training/train_engine.h"

#include <c10/util/Exception.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kFirstStep = 1;

/// Unit roundoff of bfloat16, which has 8 significant bits.
constexpr double kBf16Roundoff = 1.0 / 256;

/// A gradient that is smaller than this share of what its number of elements would have of the whole is
/// measured against that share: the bias of a key shifts all logits of a soft-max alike, so its gradient is
/// rounding and nothing else.
constexpr double kQuietShare = 1e-3;

/// Fresh weights, but none all zero: layers that begin by adding nothing would hide whatever is behind them.
Params liveWeights(const Model& model, std::int64_t seed, const WeightInitializer::Keep& keep) {
    return model.initialWeights(seed, [&](const std::string& name, const at::Tensor& drawn) {
        if (drawn.count_nonzero().item<std::int64_t>() > 0) return keep(name, drawn);
        const auto inputs = static_cast<double>(drawn.numel() / std::max<std::int64_t>(1, drawn.size(0)));
        const auto key = randomKey(seed, Stream::weights, hashText(name), 1);
        return keep(name, normalTensor(key, drawn.sizes()) / std::sqrt(4 * inputs));
    });
}

/// The slice on one side: the loss of the global batch, and a engine that holds the gradients.
struct Side {
    Side(const CertifiedRun& run, const config::TrainConfig& config, const Model& model,
         const ParallelDims& groups)
        : engine(config, model, run.objective, groups, run.device,
                 [&](const WeightInitializer::Keep& keep) { return liveWeights(model, config.seed, keep); }) {
    }

    /// `passes`: 0 for one a clip.
    void forwardBackward(const CertifiedRun& run, const config::TrainConfig& config, const DistEnv& data,
                         std::int64_t passes) {
        BatchLoader loader(config, data, run.source, run.text, run.scale, run.device);
        const auto batch = loader.load(kFirstStep);
        const auto clock = makePhaseClock(run.device);
        const auto losses = engine.forwardBackward(batch, passes > 0 ? passes : batch.clips(), *clock);
        engine.gradients().finish();
        loss = losses.sum().to(at::kDouble) / static_cast<double>(batch.globalClips);
        clips = batch.globalClips;
    }

    TrainEngine engine;
    at::Tensor loss = {};
    std::int64_t clips = 0;
};

/// One process, whose engine is on the leading rank only.
struct OneProcess {
    OneProcess(const CertifiedRun& run, config::TrainConfig slice,
               const std::function<std::unique_ptr<Model>(const ParallelDims&)>& modelOf)
        : config(std::move(slice)), world(makeProcessGroup({}, run.device)) {
        config.layout = {};
        config.runtime.cuda_graphs = false;  // pays for passes that are made again
        groups = std::make_unique<ParallelDims>(Mesh(config, {}), *world);
        model = modelOf(*groups);
        side = std::make_unique<Side>(run, config, *model, *groups);
        side->forwardBackward(run, config, {}, /*passes=*/0);
    }

    config::TrainConfig config;
    std::unique_ptr<ProcessGroup> world;
    std::unique_ptr<ParallelDims> groups;
    std::unique_ptr<Model> model;
    std::unique_ptr<Side> side;
};

/// The largest of each number among all ranks.
at::Tensor largest(const at::Tensor& numbers, ProcessGroup& world) {
    const auto all = at::empty({world.size() * numbers.size(0)}, numbers.options());
    world.startAllGather(all, numbers.contiguous()).wait();
    return all.view({world.size(), -1}).amax(0);
}

/// Of each weight |difference| / |gradient|, over all ranks' pieces of it and the rank that is furthest off.
/// `expected`: of one process, null but on the leading rank.
std::vector<double> gradientErrors(TrainEngine& engine, TrainEngine* expected, const Model& model,
                                   const ParallelDims& groups, ProcessGroup& world, at::Device device) {
    const auto sizes = model.weightsOnMeta();
    const auto& names = sizes.names();
    const auto count = static_cast<std::int64_t>(names.size());
    const auto options = at::TensorOptions(device).dtype(at::kDouble);
    auto differences = at::zeros({count}, options), norms = at::zeros({count}, options);
    const auto& own = engine.weights().own().names();
    std::size_t next = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const auto& name = names[index];
        // the smallest part of memory that tells: one weight at a time travels from the leading rank
        auto whole = expected ? expected->gradients().own()[index].contiguous()
                              : at::empty(sizes[name].sizes(), at::TensorOptions(device).dtype(at::kFloat));
        world.broadcastFromRank0(whole);
        norms[i] = whole.square().sum(at::kDouble);
        if (next == own.size() || own[next] != name) continue;  // this rank has no piece of it
        const auto& found = engine.gradients().own()[next++];
        differences[i] = (found - engine.weights().ownOf(name, whole)).square().sum(at::kDouble);
    }
    groups.shardingGroup().allReduce(differences);
    if (groups.weights()) {  // a slice's is a part of the weight's
        const TensorParallelShards slices(model, groups.tensorParallelGroup());
        auto ofSlices = differences.clone();
        for (std::int64_t i = 0; i < count; ++i)
            (slices.divides(names[static_cast<std::size_t>(i)]) ? differences : ofSlices)[i].zero_();
        groups.tensorParallelGroup().allReduce(ofSlices);
        differences += ofSlices;
    }
    differences = largest(differences, world).sqrt().to(at::kCPU);
    norms = norms.sqrt().to(at::kCPU);
    const auto all = norms.norm().item<double>();
    const auto elements = static_cast<double>(sizes.elementCount());
    std::vector<double> errors;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto of = static_cast<double>(sizes.tensors()[static_cast<std::size_t>(i)].numel());
        const auto least = kQuietShare * all * std::sqrt(of / elements);
        errors.push_back(differences[i].item<double>() / std::max(norms[i].item<double>(), least));
    }
    return errors;
}

/// What is not a number is worse than any.
bool isWorse(double error, double than) {
    return !std::isnan(than) && (std::isnan(error) || error > than);
}

}  // namespace

config::TrainConfig sliceOf(const config::TrainConfig& config, const config::LayoutSizes& sizes) {
    auto slice = config;
    auto& every = slice.model.full_attention_every;
    // blocks within frames, along time and over the whole clip
    const auto runs = sizes.pp * sizes.ppChunks, blocks = std::int64_t{every > 0 ? 3 : 2};
    slice.model.depth = std::min(config.model.depth, (blocks + runs - 1) / runs * runs);  // as many in each
    every = std::min<std::int64_t>(every, 3);
    if (config.data.packing) return slice;
    // clips of one rank and pass may be mixed up only where there are two of them, and so may passes
    const auto inPass = config.data.batch_size / (sizes.dp * config.optimizer.accumulate);
    // and stages have something to do at the same time only with a part for each
    slice.optimizer.accumulate = std::min(config.optimizer.accumulate, std::max<std::int64_t>(2, sizes.pp));
    slice.data.batch_size = sizes.dp * slice.optimizer.accumulate * std::min<std::int64_t>(inPass, 2);
    return slice;
}

CertificateTolerance certificateTolerance(const config::TrainConfig& config) {
    // float32: what the tests of every layout hold it to. Its unit roundoff is 6e-8, and sums over some ten
    // thousand tokens in another order differ by its hundredfold at most.
    const bool isExact = config.runtime.precision == "fp32" && !config.optimizer.master_weights &&
                         config.layout.gradient_sums == "fp32";
    if (isExact) return {1e-5, 1e-5};
    // bfloat16: each rank and pass rounds its part of a matrix's gradient, and activations that a layout
    // rounds in another place carry that through the slice's products; such errors add up as a random walk
    // does, so 16 unit roundoffs are some 256 roundings. Measured: 0.022 at most, for
    // st-dit in a ring of slices. The loss is a mean over all values of all clips, in which they cancel.
    return {kBf16Roundoff, 16 * kBf16Roundoff};
}

std::optional<events::Certificate> certify(const CertifiedRun& run, const DistEnv& ranks, const Mesh& mesh,
                                           const ParallelDims& groups, ProcessGroup& world) {
    const auto begun = std::chrono::steady_clock::now();
    const auto slice = sliceOf(run.config, mesh.sizes());
    auto shape = run.shape;
    shape.model = slice.model;
    auto part = run.config;
    part.lora.targets = {};      // which may be none in so few blocks
    part.optimizer.freeze = {};  // sums of more gradients than the run's are proven
    const auto modelOf = [&](const ParallelDims& dims) {
        return lora::trainedPart(makeModelWithTextEncoder(shape, run.device), part, [&](const Model& base) {
            const auto drawn =
                liveWeights(base, run.config.seed, [](const auto&, const auto& w) { return w; });
            lora::BaseStorage storage{.bf16 = run.config.runtime.precision == "bf16"};
            storage.shardOf = shardReader(base, dims.tensorParallelGroup());
            auto read = lora::loadBase(
                base, [&](const std::string& name) { return drawn[name]; }, run.device, storage,
                lora::baseOf(part, base));
            read.weights.setTensorParallel(dims.weights());
            return read;
        });
    };
    const auto model = modelOf(groups);

    Side together(run, slice, *model, groups);
    together.forwardBackward(run, slice, mesh.dataRanks(), slice.optimizer.accumulate);
    std::unique_ptr<OneProcess> alone;
    auto hasRoom = at::ones({1}, together.loss.options());
    try {
        if (ranks.isRank0()) alone = std::make_unique<OneProcess>(run, slice, modelOf);
    } catch (const c10::OutOfMemoryError&) {  // of clips that many ranks share one GPU holds none
        hasRoom.zero_();
    }
    world.broadcastFromRank0(hasRoom);
    if (hasRoom.item<double>() == 0) return std::nullopt;

    const at::NoGradGuard noGradients;
    auto loss = together.loss.view({1}) / static_cast<double>(mesh.sizes().ranksPerClip());
    world.allReduce(loss);
    auto expected = alone ? alone->side->loss.view({1}) : at::zeros_like(loss);
    world.broadcastFromRank0(expected);
    const auto errors = gradientErrors(together.engine, alone ? &alone->side->engine : nullptr, *model,
                                       groups, world, run.device);

    const auto tolerance = certificateTolerance(run.config);
    events::Certificate found;
    found.lossError = largest((loss - expected).abs() / expected.abs(), world).item<double>();
    std::size_t worst = 0;
    for (std::size_t i = 1; i < errors.size(); ++i)
        if (isWorse(errors[i], errors[worst])) worst = i;
    found.gradientError = errors[worst];
    found.weight = model->weightsOnMeta().names()[worst];
    found.lossTolerance = tolerance.loss;
    found.gradientTolerance = tolerance.gradient;
    found.proven = found.lossError <= tolerance.loss && found.gradientError <= tolerance.gradient;
    found.ranks = ranks.size;
    found.layout = mesh.sizes().text(run.config.layout.shard);
    found.recompute = run.config.model.recompute;
    found.precision = run.config.runtime.precision;
    found.blocks = slice.model.depth;
    found.clips = together.clips;
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return found;
}

}  // namespace dailies::trainer
