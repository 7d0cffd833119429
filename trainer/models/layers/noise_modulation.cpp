#include "trainer/models/layers/noise_modulation.h"

#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/time_embedding.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

namespace {

constexpr std::int64_t kFinalRows = 2;  // shift, scale

}  // namespace

void NoiseModulation::declareShared(WeightInitializer& make) const {
    make.linear("time.in", m_width, kTimeChannels, true);
    make.linear("time.out", m_width, m_width, true);
    make.zeroLinear("modulation", kRows * m_width, m_width, true);
}

void NoiseModulation::declareBlock(WeightInitializer& make, const std::string& block) const {
    make.zeros(block + ".modulation", {kRows, m_width});
}

void NoiseModulation::declareFinal(WeightInitializer& make) const {
    make.zeros("final.modulation", {kFinalRows, m_width});
}

NoiseModulation::Told NoiseModulation::told(const Params& weights, const at::Tensor& times) const {
    const auto sinusoids = timestepEmbedding(times * m_timeScale, kTimeChannels);
    auto time = fp32Linear(weights, "time.out", at::silu(fp32Linear(weights, "time.in", sinusoids)));
    auto rows = fp32ColumnParallelLinear(weights, "modulation", at::silu(time)).view({-1, kRows, m_width});
    return {std::move(time), std::move(rows)};
}

NoiseModulation::Levels NoiseModulation::levels(const Params& weights, const at::Tensor& times,
                                                at::Tensor clean) const {
    Levels levels{.noisy = told(weights, times), .quiet = {}, .clean = std::move(clean)};
    if (levels.clean.defined()) levels.quiet = told(weights, at::zeros({1}, times.options()));
    return levels;
}

std::vector<at::Tensor> NoiseModulation::blockRows(const Params& weights, const std::string& block,
                                                   const Levels& levels) {
    std::vector<at::Tensor> tensors;
    for (const auto& shared : {levels.noisy.rows, levels.quiet.rows}) {
        const auto rows = shared.defined() ? (shared + weights[block + ".modulation"]).unbind(1)
                                           : std::vector<at::Tensor>(kRows);
        tensors.insert(tensors.end(), rows.begin(), rows.end());
    }
    return tensors;
}

at::Tensor NoiseModulation::finalNorm(const Params& weights, const Levels& levels,
                                      const SequenceLayout& layout, const at::Tensor& tokens) {
    const auto of = [&](const Told& told) {
        return told.time.defined() ? (weights["final.modulation"] + told.time.unsqueeze(1)).unbind(1)
                                   : std::vector<at::Tensor>(kFinalRows);
    };
    const auto noisy = of(levels.noisy), quiet = of(levels.quiet);
    const auto row = [&](std::size_t i) { return perToken(layout, levels.clean, {noisy[i], quiet[i]}); };
    return normModulate(tokens, row(0), row(1));
}

at::Tensor NoiseModulation::perToken(const SequenceLayout& layout, const at::Tensor& clean, const Row& row) {
    const auto ofClips = layout.perToken(row.noisy);
    return clean.defined() ? at::where(clean, row.quiet.unsqueeze(0), ofClips) : ofClips;
}

std::int64_t NoiseModulation::flops() const {
    return flopsAtSinusoids() + 2 * m_width * m_width + 2 * m_width * kRows * m_width;
}

std::int64_t NoiseModulation::flopsAtSinusoids() const {
    return 2 * kTimeChannels * m_width;
}

}  // namespace dailies::trainer::layers
