#include "trainer/models/ltx/ltx_rope.h"

#include <torch/types.h>

#include <cmath>
#include <numbers>

namespace dailies::trainer {

namespace {

constexpr double kSeconds = 20, kPixels = 2048;  // where positions are 1
constexpr double kLtxBase = 10000;
constexpr std::int64_t kAxes = 3;  // frame, row, column

/// Where tokens stand along an axis, [count], from -1.
at::Tensor positions(std::int64_t count, double step, double end, double earlier = 0) {
    const auto at = (at::arange(count, at::kDouble) * step - earlier).clamp_min(0);
    return at / end * 2 - 1;
}

at::Tensor ltxAngles(const ModelShape& shape, const layers::TokenGrid& grid) {
    const auto& model = shape.model;
    const auto pixels = static_cast<double>(shape.latentPixels * model.patch_size),
               frames = static_cast<double>(shape.framesPerLatent * model.patch_frames);
    // the first frame of causal latents is one frame of the clip, which the others stand behind
    const double earlier = model.causal_positions ? frames - 1 : 0;
    const auto spread = [&](const at::Tensor& of, std::int64_t axis) {
        std::int64_t sizes[] = {1, 1, 1};
        sizes[axis] = of.size(0);
        return of.view(sizes).expand({grid.frames, grid.rows, grid.columns});
    };
    const auto places =
        at::stack({spread(positions(grid.frames, frames / grid.fps, kSeconds, earlier / grid.fps), 0),
                   spread(positions(grid.rows, pixels, kPixels), 1),
                   spread(positions(grid.columns, pixels, kPixels), 2)},
                  -1)
            .reshape({grid.tokensPerClip(), 1, kAxes});

    const auto pairs = model.width / 2, turned = model.width / (2 * kAxes);
    const auto exponents = at::linspace(0, 1, turned, at::kDouble);
    const auto frequencies = at::pow(kLtxBase, exponents) * (std::numbers::pi / 2);
    // [tokens, frequencies, axes]; what three axes do not divide stands first, unturned
    const auto angles = (frequencies.view({1, turned, 1}) * places).flatten(1);
    return at::constant_pad_nd(angles, {pairs - angles.size(1), 0})
        .view({grid.tokensPerClip(), model.heads, pairs / model.heads});
}

}  // namespace

layers::Rotary ltxRotary(const ModelShape& shape, at::Device device) {
    return {[shape](const layers::TokenGrid& grid) { return ltxAngles(shape, grid); }, device};
}

}  // namespace dailies::trainer
