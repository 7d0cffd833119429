#include "trainer/models/unet/motion_module.h"

#include "core/base/error.h"
#include "trainer/models/layers/geglu.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"
#include "trainer/models/unet/picture_transformer.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::unet {

at::Tensor framePositions(std::int64_t frames, std::int64_t channels) {
    const auto frequencies = at::exp(at::arange(0, channels, 2, at::kFloat) *
                                     (-std::log(10000.0) / static_cast<double>(channels)));
    const auto angles = at::outer(at::arange(frames, at::kFloat), frequencies);
    return at::stack({at::sin(angles), at::cos(angles)}, -1).flatten(1);
}

at::Tensor MotionModule::operator()(const Params& weights, const std::string& name,
                                    const at::Tensor& pictures, std::int64_t frames) const {
    if (frames > places)
        throw InputError("The motion modules know " + std::to_string(places) + " frames, and the clip has " +
                             std::to_string(frames) + ".",
                         "Choose shorter clips.");
    const auto byClip = [&](const at::Tensor& x) { return x.unflatten(0, {-1, frames}); };
    const auto normedPictures =
        normsAcrossFrames ? norm(weights, name + ".norm", byClip(pictures).transpose(1, 2)).transpose(1, 2)
                          : byClip(norm(weights, name + ".norm", pictures));
    const auto block = name + ".transformer_blocks.0";
    const auto normed = [&](const std::string& which, const at::Tensor& x) {
        return layers::layerNorm(weights, block + ".norm" + which, x, kLayerNormEpsilon);
    };
    // [clips, frames, channels, rows, columns] → [clips · places, frames, channels]
    const auto inTime = normedPictures.permute({0, 3, 4, 1, 2});
    auto x = layers::linear(weights, name + ".proj_in", inTime.flatten(0, 2));
    const auto positions = framePositions(frames, x.size(2)).to(x.options());
    for (const std::string which : {"1", "2"}) {
        const auto placed = normed(which, x) + positions;
        x = x + attention(weights, block + ".attn" + which, placed, placed);
    }
    x = x + layers::geglu(weights, block + ".ff", normed("3", x));
    const auto changed = layers::linear(weights, name + ".proj_out", x).view(inTime.sizes());
    return pictures + changed.permute({0, 3, 4, 1, 2}).flatten(0, 1);
}

}  // namespace dailies::trainer::unet
