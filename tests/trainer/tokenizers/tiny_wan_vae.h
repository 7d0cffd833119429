#pragma once

#include "trainer/pretrained/families/wan_vae.h"
#include "trainer/tensors/params.h"

#include <filesystem>
#include <string>

namespace dailies::trainer {

/// A Wan VAE of 2.1, or of 2.2 (`residual`), that fits a test.
pretrained::WanVaeSizes tinyWanVae(bool residual, std::int64_t latents = 4);

/// Random weights by diffusers' names, of which none is zero or one, so that nothing hides behind a layer
/// that adds nothing: float32.
Params publishedWanVae(const pretrained::WanVaeSizes& sizes);

/// The same as `wan_vae::WanVae` reads them.
Params livelyWanVae(const pretrained::WanVaeSizes& sizes, at::ScalarType type);

struct WanVaeFile {
    bool original = false;       ///< names of Wan-Video's own checkpoints
    std::string without = {};    ///< a tensor that is missing
    std::string notFinite = {};  ///< a tensor that holds a NaN
};

void writeWanVae(const std::filesystem::path& file, const pretrained::WanVaeSizes& sizes,
                 const WanVaeFile& how = {});

}  // namespace dailies::trainer
