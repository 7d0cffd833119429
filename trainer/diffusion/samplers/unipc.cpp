#include "trainer/diffusion/samplers/unipc.h"

#include "trainer/diffusion/samplers/dpmpp_2m.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

namespace {

/// How the corrector of one step weighs what it knows: `last` the change of the clean clip over the step
/// before, divided by `ratio`, and `next` the change over this step.
struct Correction {
    double ratio = 0;
    double last = 0;
    double next = 0.5;
};

/// The paper's eq. 10 for p = 2, as the two linear equations last + next = b₁, ratio·last + next = b₂.
Correction correction(double step, double ratio) {
    const double minus = -step;
    const double grown = std::expm1(minus);
    const double phi2 = grown / minus - 1;
    const double b1 = phi2 / grown;
    const double b2 = (phi2 / minus - 0.5) * 2 / grown;
    const double last = (b1 - b2) / (1 - ratio);
    return {ratio, last, b1 - last};
}

}  // namespace

at::Tensor UniPcSampler::sample(const at::Tensor& noise, const Denoiser& denoise,
                                const std::vector<PathPoint>& grid) const {
    auto noised = noise * grid.front().sigma;
    auto clean = denoise(noised, grid.front());
    at::Tensor before;  // the clean clip of the step before
    for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
        const auto &from = grid[i], &to = grid[i + 1];
        if (to.sigma == 0) return stepTowards(clean, noised, from, to);
        const double step = halfLogSnr(to) - halfLogSnr(from);  // ∞ from pure noise
        const auto base = stepTowards(clean, noised, from, to);
        const double weight = -to.alpha * std::expm1(-step);

        at::Tensor trend;  // of the clean clip, as the step before saw it
        Correction correct;
        auto predicted = base;
        if (i > 0) {
            correct = correction(step, (halfLogSnr(grid[i - 1]) - halfLogSnr(from)) / step);
            trend = (before - clean) / correct.ratio;
            predicted = base + trend * (weight / 2);
        }
        if (i + 2 == grid.size()) return predicted;  // the last point is not evaluated
        const auto next = denoise(predicted, to);
        noised = base + (next - clean) * (weight * correct.next);
        if (i > 0) noised = noised + trend * (weight * correct.last);
        before = clean;
        clean = next;
    }
    return noised;
}

}  // namespace dailies::trainer
