#include "tests/trainer/tokenizers/tiny_ltx_vae.h"

#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

pretrained::LtxVaeSizes tinyLtxVae(bool takesNoiseAway) {
    pretrained::LtxVaeSizes sizes;
    sizes.latents = 4;
    sizes.encoder = {{4, 6, 1, {2, 2, 2}}, {6, 8, 1, {2, 2, 2}}, {8, 8, 1, {2, 2, 2}}, {8, 8, 1}};
    sizes.encoderBlocks = 1;
    sizes.decoderBlocks = 1;
    if (takesNoiseAway) {
        sizes.decoder = {{16, 16, 1, true, 2, true}, {8, 8, 1, true, 2, true}, {4, 4, 1, true, 2}};
        sizes.decoderWidth = 32;
        sizes.decoderNoise = sizes.timed = true;
    } else {
        sizes.decoder = {{8, 8, 1, false}, {8, 8, 1}, {8, 6, 1}, {6, 4, 1}};
        sizes.decoderWidth = 8;
    }
    return sizes;
}

Params livelyLtxVae(const pretrained::LtxVaeSizes& sizes) {
    Params weights;
    std::uint64_t key = 23;
    for (const auto& [name, shape] : pretrained::ltxVaeTensors(sizes)) {
        auto value = normalTensor(++key, shape);
        if (name == "latents_mean")
            value.fill_(0.25);
        else if (name == "latents_std")
            value = at::arange(1, sizes.latents + 1, at::kFloat) / 2;
        else if (name.ends_with("timestep_scale_multiplier"))
            value.fill_(1000);
        else if (name.ends_with("norm3.weight"))
            value = 1 + 0.1 * value;
        else if (shape.size() > 1 && !name.ends_with("table") &&
                 name.find("per_channel_scale") == std::string::npos)
            value = value / std::sqrt(static_cast<double>(value.numel() / shape.front()));
        else
            value = 0.1 * value;
        weights.add(name, value);
    }
    return weights;
}

}  // namespace dailies::trainer
