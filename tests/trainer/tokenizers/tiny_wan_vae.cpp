#include "tests/trainer/tokenizers/tiny_wan_vae.h"

#include "tests/trainer/pretrained/published.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/wan_vae/wan_vae.h"

#include <torch/types.h>

#include <cmath>
#include <limits>

namespace dailies::trainer {

pretrained::WanVaeSizes tinyWanVae(bool residual, std::int64_t latents) {
    pretrained::WanVaeSizes sizes;
    sizes.residual = residual;
    sizes.pixels = residual ? 12 : 3;
    sizes.latents = latents;
    sizes.encoder = {4, 8, 16, 16};
    sizes.decoder = residual ? Extents{16, 16, 8, 4} : Extents{16, 16, 8, 4};
    return sizes;
}

Params publishedWanVae(const pretrained::WanVaeSizes& sizes) {
    Params weights;
    std::uint64_t key = 11;
    for (const auto& [name, shape] : pretrained::wanVaeTensors(sizes)) {
        auto value = normalTensor(++key, shape);
        const auto fan = value.numel() / shape.front();
        const bool gain = name.ends_with(".gamma");
        weights.add(name, gain                ? 1 + 0.1 * value
                          : shape.size() == 1 ? 0.1 * value
                                              : value / std::sqrt(static_cast<double>(fan)));
    }
    return weights;
}

Params livelyWanVae(const pretrained::WanVaeSizes& sizes, at::ScalarType type) {
    Params weights;
    const auto published = publishedWanVae(sizes);
    for (const auto& name : published.names()) wan_vae::addPublished(weights, name, published[name].to(type));
    return weights;
}

void writeWanVae(const std::filesystem::path& file, const pretrained::WanVaeSizes& sizes,
                 const WanVaeFile& how) {
    const auto weights = publishedWanVae(sizes);
    NamedShapes names = pretrained::wanVaeTensors(sizes);
    if (how.original) names = pretrained::wanVaeOriginal(names, sizes.residual);
    Params stored;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto& name = weights.names()[i];
        if (name == how.without) continue;
        auto value = weights[name];
        if (name == how.notFinite) value.view(-1)[0] = std::numeric_limits<float>::quiet_NaN();
        stored.add(names[i].name, value);
    }
    writeSafetensors(file, stored);
}

}  // namespace dailies::trainer
