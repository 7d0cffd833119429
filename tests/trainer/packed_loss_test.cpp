#include "tests/trainer/diffusion/objective_configs.h"
#include "tests/trainer/models/families.h"
#include "trainer/denoising/denoiser.h"
#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

constexpr std::size_t kSizes = 3;

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

/// Clips of three sizes in one step, noise and level each its own.
struct Step {
    Step(const ModelShape& shape, const Objective& objective) : text(batchFor(shape, kSizes).text) {
        const auto input = batchFor(shape, kSizes);
        const auto quantiles = at::linspace(0.05, 0.95, 2 * kSizes, at::kDouble);
        for (std::size_t i = 0; i < kSizes; ++i) {
            const auto& group = input.groups[i];
            clips.push_back(group.clips);
            noise.push_back(normalTensor(40 + i, group.clips.sizes()));
            const auto levels =
                objective.levels(quantiles.narrow(0, 2 * static_cast<std::int64_t>(i), 2), 64);
            noisy.push_back({objective.addNoise(group.clips, noise.back(), levels),
                             levels,
                             group.conditioning,
                             group.fps,
                             {},
                             group.imageTokens});
        }
    }

    std::vector<at::Tensor> clips, noise;
    std::vector<NoisyClips> noisy;
    TextInput text;
};

at::Tensor row(const at::Tensor& rows, std::int64_t i) {
    return rows.defined() ? rows.narrow(0, i, 1) : rows;
}

struct Learnt {
    at::Tensor losses;
    std::vector<at::Tensor> gradients;
};

class PackedLoss : public testing::TestWithParam<Variant> {
protected:
    ModelShape shape = GetParam().shape;
    std::unique_ptr<Model> model = makeModel(shape, at::kCPU);

    Params ownWeights() const {
        const auto weights = liveWeights(*model);
        for (const auto& name : weights.names()) weights[name].set_requires_grad(true);
        return weights;
    }
    static std::vector<at::Tensor> gradientsOf(const Params& weights) {
        std::vector<at::Tensor> gradients;
        for (const auto& name : weights.names()) gradients.push_back(weights[name].grad());
        return gradients;
    }

    /// As a step of the trainer: all clips in one pass, of whose losses the mean is learnt from.
    Learnt together(const Step& step, const Objective& objective) const {
        const auto weights = ownWeights();
        const auto outputs = networkOutputs(*model, weights, objective, step.noisy, step.text);
        std::vector<at::Tensor> losses;
        for (std::size_t i = 0; i < kSizes; ++i)
            losses.push_back(objective.loss(outputs[i], step.clips[i], step.noise[i], step.noisy[i].levels));
        const auto all = at::cat(losses);
        all.mean().backward();
        return {all.detach(), gradientsOf(weights)};
    }

    /// The loop that packing is to equal: each clip by itself, its share of the mean added up.
    Learnt oneByOne(const Step& step, const Objective& objective) const {
        const auto weights = ownWeights();
        std::vector<at::Tensor> losses;
        for (std::int64_t clip = 0; clip < 2 * static_cast<std::int64_t>(kSizes); ++clip) {
            const auto group = static_cast<std::size_t>(clip / 2);
            const auto at = clip % 2;
            const auto& noisy = step.noisy[group];
            const NoisyClips alone{
                row(noisy.noised, at),     row(noisy.levels, at), row(noisy.conditioning, at), noisy.fps, {},
                row(noisy.imageTokens, at)};
            const TextInput caption{row(step.text.words, clip), row(step.text.embeddings, clip),
                                    row(step.text.mask, clip)};
            const auto outputs = networkOutputs(*model, weights, objective, {alone}, caption);
            const auto loss = objective.loss(outputs[0], row(step.clips[group], at),
                                             row(step.noise[group], at), alone.levels);
            (loss.sum() / (2.0 * kSizes)).backward();
            losses.push_back(loss.detach());
        }
        return {at::cat(losses), gradientsOf(weights)};
    }
};

TEST_P(PackedLoss, AndItsGradientsAreThoseOfTheClipsOneByOne) {
    for (const auto& named : everyObjective()) {
        SCOPED_TRACE(named.name);
        const auto objective = named.make();
        const Step step(shape, *objective);
        const auto packed = together(step, *objective), loop = oneByOne(step, *objective);
        for (std::int64_t i = 0; i < loop.losses.size(0); ++i)
            EXPECT_NEAR(packed.losses[i].item<double>(), loop.losses[i].item<double>(),
                        1e-6 * loop.losses[i].item<double>())
                << "clip " << i;
        ASSERT_EQ(packed.gradients.size(), loop.gradients.size());
        double scale = 0;
        for (const auto& gradient : loop.gradients) scale = std::max(scale, largest(gradient));
        for (std::size_t i = 0; i < loop.gradients.size(); ++i)
            EXPECT_LT(largest(packed.gradients[i] - loop.gradients[i]) / scale, 5e-6)
                << ownWeights().names()[i];
    }
}

std::vector<Variant> packable() {
    std::vector<Variant> found;
    for (const auto& variant : variants())
        if (variant.shape.model.positions != "learned" || variant.shape.model.family == "wan")
            found.push_back(variant);
    return found;
}

INSTANTIATE_TEST_SUITE_P(Families, PackedLoss, testing::ValuesIn(packable()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace dailies::trainer
