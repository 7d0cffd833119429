#include "trainer/diffusion/samplers/guidance.h"

#include <torch/types.h>

namespace dailies::trainer {

double Guidance::scaleAt(const PathPoint& point) const {
    return point.noiseFraction() >= from && point.noiseFraction() <= to ? scale : 1;
}

Denoiser guided(GuidanceScale scaleAt, Denoiser captioned, Denoiser both) {
    return [scaleAt = std::move(scaleAt), captioned = std::move(captioned), both = std::move(both)](
               const at::Tensor& noised, const PathPoint& point) {
        const double scale = scaleAt(point);
        if (scale == 1) return captioned(noised, point);
        const auto halves = both(at::cat({noised, noised}), point).chunk(2);
        return halves[1] + (halves[0] - halves[1]) * scale;
    };
}

}  // namespace dailies::trainer
