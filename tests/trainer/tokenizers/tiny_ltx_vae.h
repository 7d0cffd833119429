#pragma once

#include "trainer/pretrained/families/ltx_vae.h"
#include "trainer/tensors/params.h"

#include <filesystem>

namespace dailies::trainer {

/// An LTX-Video VAE of latents of 4 channels that fits a test: with the decoder of 0.9.0, or one that takes
/// noise away and adds its own, as that of 0.9.1.
pretrained::LtxVaeSizes tinyLtxVae(bool takesNoiseAway);

/// Random weights by diffusers' names, of which none is zero or one. Latents have the mean 0.25 and the
/// deviations 0.5, 1, 1.5 and 2.
Params livelyLtxVae(const pretrained::LtxVaeSizes& sizes);

}  // namespace dailies::trainer
