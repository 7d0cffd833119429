#include "trainer/training/train_engine.h"

#include "trainer/denoising/conditioning_frames.h"
#include "trainer/denoising/masked_loss.h"
#include "trainer/diffusion/preference_loss.h"
#include "trainer/lora/lora_model.h"
#include "trainer/optim/master_weights.h"
#include "trainer/runtime/device.h"
#include "trainer/tensors/precision.h"
#include "trainer/training/graph_capture.h"

#include <torch/types.h>

#include <unordered_map>

namespace dailies::trainer {

TrainEngine::TrainEngine(const config::TrainConfig& config, const Model& model, const Objective& objective,
                         const ParallelDims& groups, at::Device device, const InitialWeights& initial)
    : m_config(config), m_model(model), m_objective(objective), m_groups(groups), m_device(device) {
    if (config.data.source == "preferences") m_preferring = dynamic_cast<const lora::LoraModel*>(&model);
    if (groups.pipeline())
        m_stage = std::make_unique<PipelineStage>(*groups.pipeline(), model.shape().model.depth);
    if (groups.weights() || m_stage)
        m_slices = std::make_unique<TensorParallelShards>(model, groups.tensorParallelGroup(), m_stage.get());
    makeWeights(initial);
    m_modelWeights.setTensorParallel(groups.weights());
    m_modelWeights.setPipeline(m_stage.get());
    const bool recorded = whyNotCaptured(config, device.is_cuda()).empty();
    const bool divided = groups.shardingGroup().size() > 1;
    auto sum = groups.gradientReduceOptions(!divided || config.layout.shard == "zero1",
                                            /*overlapReduce=*/!recorded && !m_stage);
    if (config.layout.gradient_sums == "bf16") sum.reduceType = at::kBFloat16;
    sum.isTensorParallel = m_weights->tensorParallelBuckets();
    sum.isOnEveryStage = m_weights->bucketsOnEveryStage();
    if (auto* units = m_weights->units()) sum.onGradientReady = [units](std::size_t i) { units->release(i); };
    m_gradients = std::make_unique<Gradients>(m_modelWeights, m_weights->layout(), sum);
    if (recorded)
        m_graphCache = std::make_unique<CudaGraphCache>(
            makeGraphCapture(device), [this](const MicroBatch& input) { return pass(input, nullptr); });
}

void TrainEngine::makeWeights(const InitialWeights& initial) {
    const bool bf16 = m_config.optimizer.master_weights;
    const auto own = [this](const std::string& name, const at::Tensor& whole) {
        if (!m_slices) return whole;
        return m_slices->has(name) ? m_slices->own(name, whole) : at::Tensor();
    };
    if (m_config.layout.shard == "zero3" && m_groups.shardingGroup().size() > 1) {
        const auto whole = m_model.weightsOnMeta(), sizes = m_slices ? m_slices->own(whole) : whole;
        m_weights = std::make_unique<ShardedParams>(sizes, bf16 ? bf16Copies(sizes) : sizes,
                                                    m_groups.shardingGroup(), m_device, m_slices.get());
        initial([&](const std::string& name, const at::Tensor& drawn) {
            m_weights->take(name, own(name, drawn));
            return at::Tensor();
        });
        m_modelWeights = m_weights->all();
        return;
    }
    const auto deviceWeights = initial([&](const std::string& name, const at::Tensor& drawn) {
        const auto held = own(name, drawn);
        return held.defined() ? held.to(m_device) : held;
    });
    m_weights = std::make_unique<ShardedParams>(deviceWeights, m_groups.shardingGroup(), m_slices.get());
    m_modelWeights = bf16 ? bf16Copies(m_weights->all()) : m_weights->all();
}

void TrainEngine::syncWeights() {
    m_weights->gather();
    if (!m_weights->units()) refreshCopies(m_modelWeights, m_weights->all());
}

at::Tensor TrainEngine::forwardBackward(const Batch& batch, std::int64_t passes, PhaseClock& clock) {
    m_gradients->clear();
    if (m_stage) return forwardBackwardPipelined(batch, passes, clock);
    std::vector<at::Tensor> losses;
    for (std::int64_t i = 0; i < passes; ++i) {
        m_gradients->beginPass(/*last=*/i + 1 == passes);
        losses.push_back(add(batch.part(i, passes), clock));
    }
    return at::cat(losses);
}

at::Tensor TrainEngine::forwardBackwardPipelined(const Batch& batch, std::int64_t passes, PhaseClock& clock) {
    m_gradients->beginPass(/*last=*/true);  // several parts are under way at once: summed after all of them
    const auto inputOf = [&](std::int64_t i) { return makeMicroBatch(batch.part(i, passes)); };
    std::vector<at::Tensor> losses;
    const auto begin = [&](std::int64_t i) {
        const auto input = inputOf(i);
        return m_model.begin(m_modelWeights,
                             networkInput(m_objective, noisyClips(input), input.text, m_groups.tokens()));
    };
    const auto loss = [&](std::int64_t i, const std::vector<at::Tensor>& outputs) {
        const auto input = inputOf(i);
        const auto ofClips = lossesOf(input, outputs);
        losses.push_back(ofClips.detach());
        return ofClips.sum() / static_cast<double>(input.globalClips);
    };
    m_stage->forwardBackward({passes, begin, loss, m_device, m_config.runtime.precision}, clock);
    if (losses.empty()) return at::zeros({batch.clips()}, at::TensorOptions(m_device).dtype(at::kFloat));
    return at::cat(losses);
}

at::Tensor TrainEngine::add(const Batch& batch, PhaseClock& clock) {
    clock.enter(Phase::forward);
    const auto input = makeMicroBatch(batch);
    if (!m_graphCache) return pass(input, &clock);
    clock.enter(Phase::backward);  // a recording is one piece
    return m_graphCache->run(input);
}

std::vector<std::string> TrainEngine::takeNotes() {
    return m_graphCache ? m_graphCache->takeNotes() : std::vector<std::string>();
}

MicroBatch TrainEngine::makeMicroBatch(const Batch& batch) const {
    MicroBatch input{{}, batch.text, batch.globalClips, batch.dropoutKeys};
    std::int64_t first = 0;
    for (const auto& [clips, noise, fps, character, image] : batch.groups) {
        const auto quantiles = batch.quantiles.narrow(0, first, clips.size(0));
        const auto given =
            batch.conditioningFrames.defined()
                ? conditioningFrames(clips, batch.conditioningFrames.narrow(0, first, clips.size(0)))
                : image.conditioning;
        first += clips.size(0);
        const auto levels = m_objective.levels(
            quantiles, m_model.tokensPerClip(ClipSize{clips.size(1), clips.size(2), clips.size(3)}));
        input.groups.push_back(
            {clips, noise, copyToDevice(levels, m_device), given, fps, character, image.tokens});
    }
    return input;
}

at::Tensor TrainEngine::pass(const MicroBatch& input, PhaseClock* clock) const {
    auto* units = m_weights->units();
    if (units) units->beginPass();
    at::Tensor losses, loss;
    {
        const AutocastScope autocast(m_device, m_config.runtime.precision);
        losses = lossesOf(input, networkOutputs(m_model, m_modelWeights, m_objective, noisyClips(input),
                                                input.text, m_groups.tokens(), input.dropoutKeys));
        // every rank holds its part of the global mean, so that sums over ranks are means over the batch
        loss = losses.sum() / static_cast<double>(input.globalClips);
    }
    if (clock) clock->enter(Phase::backward);
    loss.backward();
    if (units) units->endPass();
    return losses.detach();
}

std::vector<NoisyClips> TrainEngine::noisyClips(const MicroBatch& input) const {
    std::vector<NoisyClips> noisy;
    for (const auto& [clips, noise, levels, given, fps, character, imageTokens] : input.groups)
        noisy.push_back(
            {m_objective.addNoise(clips, noise, levels), levels, given, fps, character, imageTokens});
    return noisy;
}

at::Tensor TrainEngine::lossesOf(const MicroBatch& input, const std::vector<at::Tensor>& outputs) const {
    const auto errors = errorsOf(input, outputs);
    return m_preferring ? preferenceLoss(errors, referenceErrors(input), m_config.diffusion.dpo_beta)
                        : errors;
}

at::Tensor TrainEngine::referenceErrors(const MicroBatch& input) const {
    const at::NoGradGuard noGradients;
    auto outputs = m_preferring->baseOutputs(
        networkInput(m_objective, noisyClips(input), input.text, m_groups.tokens()));
    for (auto& output : outputs) output = output.to(at::kFloat);
    return errorsOf(input, outputs);
}

at::Tensor TrainEngine::errorsOf(const MicroBatch& input, const std::vector<at::Tensor>& outputs) const {
    std::vector<at::Tensor> parts;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& group = input.groups[i];
        const bool inPlace = m_config.model.conditioning == "in_place" && group.conditioning.defined();
        const auto& mask = group.character.lossMask;
        parts.push_back(inPlace ? lossWithoutGivenFrame(m_objective, outputs[i], group.clips, group.noise,
                                                        group.levels, group.conditioning)
                        : mask.defined()
                            ? maskedLoss(m_objective, outputs[i], group.clips, group.noise, group.levels,
                                         mask, m_config.diffusion.mask_weight)
                            : m_objective.loss(outputs[i], group.clips, group.noise, group.levels));
    }
    return at::cat(parts);
}

std::vector<WeightHealth> TrainEngine::health() {
    const at::NoGradGuard noGradients;
    const auto whole = m_model.weightsOnMeta(), own = m_weights->whole();
    const auto badGradients = m_gradients->notFinite();
    std::unordered_map<std::string, std::size_t> places;
    std::vector<WeightHealth> health;
    for (const auto& name : whole.names()) {
        places[name] = health.size();
        health.push_back({name, whole[name].numel()});
    }
    for (std::size_t i = 0; i < own.names().size(); ++i) {
        const auto& name = own.names()[i];
        if (m_stage && m_stage->stage() > 0 && m_stage->isOnEveryStage(name)) continue;
        auto& weight = health[places.at(name)];
        weight.bad = own[name].numel() - at::isfinite(own[name]).sum().item<std::int64_t>();
        weight.badGradients = badGradients[i];
    }
    if (!m_stage) return health;
    std::vector<std::int64_t> counts;
    for (const auto& weight : health) counts.insert(counts.end(), {weight.bad, weight.badGradients});
    auto sums = at::tensor(counts, at::kLong).to(m_device);
    m_stage->links().all().allReduce(sums);
    sums = sums.to(at::kCPU);
    const auto* next = sums.const_data_ptr<std::int64_t>();
    for (auto& weight : health) {
        weight.bad = *next++;
        weight.badGradients = *next++;
    }
    return health;
}

}  // namespace dailies::trainer
