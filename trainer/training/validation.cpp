#include "trainer/training/validation.h"

#include "core/base/json.h"
#include "trainer/denoising/character.h"
#include "trainer/denoising/collate.h"
#include "trainer/denoising/denoiser.h"
#include "trainer/denoising/image_condition.h"
#include "trainer/tensors/precision.h"
#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kSeed = 0;         // not the run's: runs of different seeds are measured alike
constexpr std::size_t kLevelsAtOnce = 5;  // of one clip: less memory than training needs

}  // namespace

Validation::Validation(const config::TrainConfig& config, const DistEnv& ranks, DataSource& source,
                       std::vector<std::int64_t> clips, const TextEncoder& text, const ValueScale& scale,
                       const Model& model, const Objective& objective, at::Device device)
    : m_config(config),
      m_source(source),
      m_clips(std::move(clips)),
      m_ranks(ranks),
      m_text(text),
      m_scale(scale),
      m_model(model),
      m_objective(objective),
      m_device(device) {
    const auto levels = static_cast<double>(config.validation.levels);
    for (double i = 0; i < levels; ++i) m_shares.push_back((i + 0.5) / levels);
}

Validation::Measured Validation::measure(const Params& weights, std::size_t clipNumber,
                                         const layers::SequenceParallel* sequenceParallel) const {
    const auto example = m_source.example(m_clips[clipNumber]);
    const auto one = scaledValues(valuesOf(example), m_scale).unsqueeze(0);
    const auto text = textInput({example}, {false}, m_text, m_device);
    const auto character =
        example.guide ? stacked({characterOf(*example.guide, false)}, m_scale, m_device) : Character{};
    const auto image = example.image ? imageTensors({&*example.image}, m_scale, m_device) : ImageTensors{};
    std::vector<at::Tensor> losses, clipErrors;
    for (std::size_t first = 0; first < m_shares.size(); first += kLevelsAtOnce) {
        const auto last = std::min(first + kLevelsAtOnce, m_shares.size());
        std::vector<at::Tensor> noises;
        std::vector<float> levels;
        for (auto level = first; level < last; ++level) {
            noises.push_back(
                normalTensor(randomKey(kSeed, Stream::validation, level, clipNumber), one.sizes()));
            levels.push_back(static_cast<float>(m_objective.pointAtNoiseFraction(m_shares[level]).level));
        }
        const auto repeated = [&](const at::Tensor& x) {
            return x.defined() ? at::cat(std::vector<at::Tensor>(noises.size(), x)).to(m_device) : x;
        };
        const auto clips = repeated(one), noise = at::cat(noises).to(m_device);
        const auto noiseLevels = at::tensor(levels).to(m_device);
        const auto mixed = m_objective.addNoise(clips, noise, noiseLevels);
        const auto output =
            networkOutputs(m_model, weights, m_objective,
                           {{mixed, noiseLevels, repeated(image.conditioning), frameRate(example),
                             eachTensor(character, repeated), repeated(image.tokens)}},
                           eachTensor(text, repeated), sequenceParallel)
                .front();
        losses.push_back(m_objective.loss(output, clips, noise, noiseLevels));
        clipErrors.push_back(meanSquares(m_objective.predictClean(output, mixed, noiseLevels) - clips));
    }
    return {at::cat(losses), at::cat(clipErrors)};
}

std::map<std::string, double> Validation::run(const Params& weights, ProcessGroup& processGroup,
                                              const layers::SequenceParallel* sequenceParallel) const {
    const at::NoGradGuard noGradients;
    const AutocastScope autocast(m_device, m_config.runtime.precision);
    const auto levels = static_cast<std::int64_t>(m_shares.size());
    // summed over clips: the loss of each level, and then the error of the clean clips
    auto sums = at::zeros({levels + 1}, at::TensorOptions(m_device).dtype(at::kFloat));
    const auto ranks = static_cast<std::size_t>(m_ranks.size);
    for (auto i = static_cast<std::size_t>(m_ranks.rank); i < m_clips.size(); i += ranks) {
        const auto measured = measure(weights, i, sequenceParallel);
        sums.slice(0, 0, levels) += measured.losses;
        sums[levels] += measured.clipErrors.mean();
    }
    // all of these ranks hold them
    if (sequenceParallel) sums /= static_cast<double>(sequenceParallel->ranks());
    if (weights.stages()) sums /= static_cast<double>(weights.stages()->stages());
    processGroup.allReduce(sums);
    const auto means = sums.to(at::kCPU, at::kDouble) / static_cast<double>(m_clips.size());
    std::map<std::string, double> metrics{{"val/loss", means.slice(0, 0, levels).mean().item<double>()},
                                          {"val/clip_error", means[levels].item<double>()}};
    for (std::int64_t level = 0; level < levels; ++level)
        metrics["val/loss_" + shortNumber(m_shares[static_cast<std::size_t>(level)])] =
            means[level].item<double>();
    return metrics;
}

}  // namespace dailies::trainer
