#include "tests/trainer/tokenizers/tiny_sd_vae.h"

#include "tests/trainer/pretrained/published.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

Params publishedSdVae(const pretrained::SdVaeSizes& sizes) {
    Params weights;
    std::uint64_t key = 23;
    for (const auto& [name, shape] : pretrained::sdVaeTensors(sizes)) {
        const auto value = normalTensor(++key, shape);
        const auto fan = value.numel() / shape.front();
        const bool gain = name.find("norm") != std::string::npos && name.ends_with(".weight");
        weights.add(name, gain                ? 1 + 0.1 * value
                          : shape.size() == 1 ? 0.1 * value
                                              : value / std::sqrt(static_cast<double>(fan)));
    }
    return weights;
}

void writeSdVae(const std::filesystem::path& file, const pretrained::SdVaeSizes& sizes,
                const SdVaeFile& how) {
    const auto weights = publishedSdVae(sizes);
    const bool original = how.names == SdVaeNames::original;
    auto names = pretrained::sdVaeTensors(sizes, original);
    if (original) names = pretrained::sdVaeOriginal(names);
    if (how.names == SdVaeNames::diffusers016) names = pretrained::sdVaeDiffusers016(names);
    Params stored;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (weights.names()[i] != how.without)
            stored.add(how.prefix + names[i].name, weights.tensors()[i].view(names[i].shape));
    writeSafetensors(file, stored);
}

}  // namespace dailies::trainer
