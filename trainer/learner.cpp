#include "trainer/learner.h"

#include "trainer/cuda/graph_recorder.h"
#include "trainer/device.h"
#include "trainer/given_frames.h"
#include "trainer/network_outputs.h"
#include "trainer/optim/master_weights.h"
#include "trainer/precision.h"

#include <torch/types.h>

namespace dailies::trainer {

Learner::Learner(const config::TrainConfig& config, const Model& model, const Objective& objective,
                 const RankGroups& groups, at::Device device, const InitialWeights& initial)
    : m_config(config), m_model(model), m_objective(objective), m_groups(groups), m_device(device) {
    if (groups.weights()) m_slices = std::make_unique<WeightSlices>(model, groups.slicing());
    makeWeights(initial);
    m_computeWeights.areSlicesOf(groups.weights());
    const bool recorded = whyNotRecorded(config, device.is_cuda()).empty();
    const bool divided = groups.dividing().size() > 1;
    auto sum = groups.gradientSum(!divided || config.layout.shard == "zero1", /*overlapped=*/!recorded);
    sum.sliced = m_weights->slicedBuckets();
    if (auto* units = m_weights->units()) sum.arrived = [units](std::size_t i) { units->release(i); };
    m_gradients = std::make_unique<Gradients>(m_computeWeights, m_weights->layout(), sum);
    if (recorded)
        m_recorded = std::make_unique<RecordedPasses>(
            makeGraphRecorder(device), [this](const PassInput& input) { return pass(input, nullptr); });
}

void Learner::makeWeights(const InitialWeights& initial) {
    const bool bf16 = m_config.optimizer.master_weights;
    const auto own = [this](const std::string& name, const at::Tensor& whole) {
        return m_slices ? m_slices->own(name, whole) : whole;
    };
    if (m_config.layout.shard == "zero3" && m_groups.dividing().size() > 1) {
        const auto whole = m_model.weightsOnMeta(), sizes = m_slices ? m_slices->own(whole) : whole;
        m_weights = std::make_unique<WeightShards>(sizes, bf16 ? bf16Copies(sizes) : sizes,
                                                   m_groups.dividing(), m_device, m_slices.get());
        initial([&](const std::string& name, const at::Tensor& drawn) {
            m_weights->take(name, own(name, drawn));
            return at::Tensor();
        });
        m_computeWeights = m_weights->all();
        return;
    }
    const auto onDevice = initial(
        [&](const std::string& name, const at::Tensor& drawn) { return own(name, drawn).to(m_device); });
    m_weights = std::make_unique<WeightShards>(onDevice, m_groups.dividing(), m_slices.get());
    m_computeWeights = bf16 ? bf16Copies(m_weights->all()) : m_weights->all();
}

void Learner::spreadWeights() {
    m_weights->gather();
    if (!m_weights->units()) refreshCopies(m_computeWeights, m_weights->all());
}

at::Tensor Learner::learn(const Batch& batch, std::int64_t passes, PhaseClock& clock) {
    m_gradients->clear();
    std::vector<at::Tensor> losses;
    for (std::int64_t i = 0; i < passes; ++i) {
        m_gradients->beginPass(/*last=*/i + 1 == passes);
        losses.push_back(add(batch.part(i, passes), clock));
    }
    return at::cat(losses);
}

at::Tensor Learner::add(const Batch& batch, PhaseClock& clock) {
    clock.enter(Phase::forward);
    const auto input = passInput(batch);
    if (!m_recorded) return pass(input, &clock);
    clock.enter(Phase::backward);  // a recording is one piece
    return m_recorded->run(input);
}

std::vector<std::string> Learner::takeNotes() {
    return m_recorded ? m_recorded->takeNotes() : std::vector<std::string>();
}

PassInput Learner::passInput(const Batch& batch) const {
    PassInput input{{}, batch.text, batch.globalClips};
    std::int64_t first = 0;
    for (const auto& [clips, noise, fps] : batch.groups) {
        const auto quantiles = batch.quantiles.narrow(0, first, clips.size(0));
        const auto given = batch.givenFrames.defined()
                               ? givenFrames(clips, batch.givenFrames.narrow(0, first, clips.size(0)))
                               : at::Tensor();
        first += clips.size(0);
        const auto levels = m_objective.levels(
            quantiles, m_model.tokensPerClip(ClipSize{clips.size(1), clips.size(2), clips.size(3)}));
        input.groups.push_back({clips, noise, onDevice(levels, m_device), given, fps});
    }
    return input;
}

at::Tensor Learner::pass(const PassInput& input, PhaseClock* clock) const {
    auto* units = m_weights->units();
    if (units) units->beginPass();
    at::Tensor losses, loss;
    {
        const AutocastScope autocast(m_device, m_config.runtime.precision);
        std::vector<NoisyClips> noisy;
        for (const auto& [clips, noise, levels, given, fps] : input.groups)
            noisy.push_back({m_objective.mix(clips, noise, levels), levels, given, fps});
        const auto outputs =
            networkOutputs(m_model, m_computeWeights, m_objective, noisy, input.text, m_groups.tokens());
        std::vector<at::Tensor> parts;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            parts.push_back(
                m_objective.loss(outputs[i], input.groups[i].clips, input.groups[i].noise, noisy[i].levels));
        losses = at::cat(parts);
        // every rank holds its part of the global mean, so that sums over ranks are means over the batch
        loss = losses.sum() / static_cast<double>(input.globalClips);
    }
    if (clock) clock->enter(Phase::backward);
    loss.backward();
    if (units) units->endPass();
    return losses.detach();
}

}  // namespace dailies::trainer
