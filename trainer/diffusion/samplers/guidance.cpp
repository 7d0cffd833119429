#include "trainer/diffusion/samplers/guidance.h"

#include <torch/types.h>

namespace dailies::trainer {

bool Guidance::appliesAt(const PathPoint& point) const {
    return scale != 1 && point.noiseShare() >= from && point.noiseShare() <= to;
}

Denoiser guided(Guidance guidance, Denoiser captioned, Denoiser both) {
    return [guidance, captioned = std::move(captioned), both = std::move(both)](const at::Tensor& mixed,
                                                                                const PathPoint& point) {
        if (!guidance.appliesAt(point)) return captioned(mixed, point);
        const auto halves = both(at::cat({mixed, mixed}), point).chunk(2);
        return halves[1] + (halves[0] - halves[1]) * guidance.scale;
    };
}

}  // namespace dailies::trainer
