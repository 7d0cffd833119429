#pragma once

#include "trainer/models/unet/unet_sizes.h"
#include "trainer/tensors/params.h"

#include <filesystem>
#include <string>

namespace dailies::trainer::pretrained {

/// A U-Net of Stable Diffusion 1 with its weights by diffusers' names: float32, on the CPU.
struct PublishedUnet {
    unet::UnetSizes sizes;
    Params weights;
};

/// Reads the U-Net at `path`: a file or folder in diffusers' or the original names, the checkpoint or the
/// pipeline around it. `motion`: a file of motion modules for it, in diffusers' or AnimateDiff's names;
/// empty: those that the U-Net itself has, if any. Throws `InputError`, which begins with `key`, where either
/// is not whole, or they do not fit each other.
PublishedUnet readPublishedUnet(const std::string& key, const std::filesystem::path& path,
                                const std::filesystem::path& motion = {});

}  // namespace dailies::trainer::pretrained
