#include "trainer/diffusion/samplers/guidance.h"

#include <torch/types.h>

namespace dailies::trainer {

bool Guidance::appliesAt(const PathPoint& point) const {
    return scale != 1 && point.noiseFraction() >= from && point.noiseFraction() <= to;
}

Denoiser guided(Guidance guidance, Denoiser captioned, Denoiser both) {
    return [guidance, captioned = std::move(captioned), both = std::move(both)](const at::Tensor& noised,
                                                                                const PathPoint& point) {
        if (!guidance.appliesAt(point)) return captioned(noised, point);
        const auto halves = both(at::cat({noised, noised}), point).chunk(2);
        return halves[1] + (halves[0] - halves[1]) * guidance.scale;
    };
}

}  // namespace dailies::trainer
