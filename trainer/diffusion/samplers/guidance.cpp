#include "trainer/diffusion/samplers/guidance.h"

#include <torch/types.h>

#include <vector>

namespace dailies::trainer {

double Guidance::scaleAt(const PathPoint& point) const {
    return point.noiseFraction() >= from && point.noiseFraction() <= to ? scale : 1;
}

namespace {

/// Of each frame, to go with clips of so many dims; see `guided`.
at::Tensor scalesOfFrames(double scale, double growth, const at::Tensor& clips) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(clips.dim()), 1);
    sizes[1] = clips.size(1);
    return 1 + (scale - 1) * at::linspace(growth, 1, clips.size(1), clips.options()).view(sizes);
}

}  // namespace

Denoiser guided(GuidanceScale scaleAt, Denoiser captioned, Denoiser both, double growth) {
    return [scaleAt = std::move(scaleAt), captioned = std::move(captioned), both = std::move(both), growth](
               const at::Tensor& noised, const PathPoint& point) {
        const double scale = scaleAt(point);
        if (scale == 1) return captioned(noised, point);
        const auto halves = both(at::cat({noised, noised}), point).chunk(2);
        if (growth == 1) return halves[1] + (halves[0] - halves[1]) * scale;
        return halves[1] + (halves[0] - halves[1]) * scalesOfFrames(scale, growth, noised);
    };
}

}  // namespace dailies::trainer
