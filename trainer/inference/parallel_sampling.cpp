#include "trainer/inference/parallel_sampling.h"

#include "core/base/error.h"
#include "trainer/denoising/collate.h"
#include "trainer/denoising/denoiser.h"
#include "trainer/diffusion/objective.h"
#include "trainer/tensors/precision.h"

#include <torch/types.h>

#include <chrono>
#include <cstdio>
#include <numeric>

namespace dailies::trainer {

namespace {

/// The model's configuration with the layout of ranks that all share the same clips.
config::TrainConfig sharedAmong(const InferenceModel& model, std::int64_t ranks) {
    auto config = model.config();
    const auto& shape = config.model;
    const auto heads = shape.kv_heads > 0 ? std::gcd(shape.heads, shape.kv_heads) : shape.heads;
    config.layout = {};
    config.layout.cp = ranks;
    config.layout.ring = ranks / std::gcd(heads, ranks);
    config.data.buckets.clear();
    config.data.packing = false;
    config.runtime.cuda_graphs = false;
    config.lora.dropout = 0;  // of training
    if (const auto problems = config::layoutProblems(config); !problems.empty())
        throw InputError(
            std::to_string(ranks) + " ranks cannot share the clips of this checkpoint. " + problems.front(),
            "layout.cp is the number of this job's tasks.");
    return config;
}

}  // namespace

ParallelSampling::ParallelSampling(const InferenceModel& model, const DistEnv& ranks)
    : m_ranks(ranks), m_device(model.device()) {
    const Mesh mesh(sharedAmong(model, ranks.size), ranks);
    m_sizes = mesh.sizes();
    m_world = makeProcessGroup(ranks, m_device);
    m_groups = std::make_unique<ParallelDims>(mesh, *m_world);
}

void ParallelSampling::requireFitting(const InferenceModel& model) const {
    if (sharedAmong(model, m_ranks.size).layout.ring != m_sizes.ring)
        throw InputError(
            std::to_string(m_ranks.size) + " ranks share the clips of these checkpoints in different ways.",
            "Sample them in jobs of their own.");
}

bool ParallelSampling::any(bool own) const {
    auto said = at::full({1}, own ? 1.0F : 0.0F, m_device);
    m_world->allReduce(said);
    return said.item<float>() > 0;
}

std::string ParallelSampling::Speed::text() const {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "%lld ranks share each clip: a pass takes them %.3g s, and one rank alone %.3g s. Efficiency "
        "%.0f %%.",
        static_cast<long long>(ranks), together, alone, 100 * efficiency());
    return text;
}

ParallelSampling::Speed ParallelSampling::measured(const InferenceModel& model) const {
    const at::NoGradGuard noGradients;
    const AutocastScope autocast(m_device, model.config().runtime.precision);
    const auto objective = makeObjective(model.config().diffusion);
    const auto& shape = model.model().shape();
    const auto clip = at::zeros({1, shape.frames, shape.height, shape.width, shape.channels},
                                at::TensorOptions(m_device).dtype(at::kFloat));
    const NoisyClips noisy{
        clip, at::full({1}, 0.5, clip.options()), {}, static_cast<double>(model.config().data.fps)};
    const auto text =
        eachTensor(model.text().encode({Caption{}}), [&](const at::Tensor& x) { return x.to(m_device); });
    const auto seconds = [&](const layers::SequenceParallel* sequenceParallel) {
        double best = 0;
        for (int turn = 0; turn < 3; ++turn) {  // the first warms up
            any(false);                         // all begin together
            const auto began = std::chrono::steady_clock::now();
            if (sequenceParallel || isRank0())
                networkOutputs(model.model(), model.weights(), *objective, {noisy}, text, sequenceParallel)
                    .front()
                    .sum()
                    .item<double>();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
            if (turn > 0) best = best == 0 ? took.count() : std::min(best, took.count());
        }
        return best;
    };
    Speed speed{m_ranks.size};
    speed.alone = seconds(nullptr);
    speed.together = seconds(tokens());
    return speed;
}

}  // namespace dailies::trainer
