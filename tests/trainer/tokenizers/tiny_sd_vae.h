#pragma once

#include "trainer/pretrained/families/sd_vae.h"
#include "trainer/tensors/params.h"

#include <filesystem>
#include <string>

namespace dailies::trainer {

/// A VAE of Stable Diffusion that fits a test.
inline pretrained::SdVaeSizes tinySdVae() {
    return {.pixels = 3, .latents = 4, .channels = {32, 32, 64, 64}, .blocks = 1, .groups = 32};
}

/// Random weights by diffusers' names, of which none is zero or one, so that nothing hides behind a layer
/// that adds nothing: float32.
Params publishedSdVae(const pretrained::SdVaeSizes& sizes);

enum class SdVaeNames { diffusers, diffusers016, original };

struct SdVaeFile {
    SdVaeNames names = SdVaeNames::diffusers;
    std::string prefix = {};   ///< before every name
    std::string without = {};  ///< a tensor that is missing
};

void writeSdVae(const std::filesystem::path& file, const pretrained::SdVaeSizes& sizes,
                const SdVaeFile& how = {});

}  // namespace dailies::trainer
