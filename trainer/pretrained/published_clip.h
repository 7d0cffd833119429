#pragma once

#include "trainer/models/clip/clip_sizes.h"
#include "trainer/tensors/params.h"

#include <filesystem>
#include <string>

namespace dailies::trainer::pretrained {

/// An encoder of CLIP with its weights by published names: float32, on the CPU.
struct PublishedClipVision {
    clip::VisionSizes sizes;
    Params weights;
};
struct PublishedClipText {
    clip::TextSizes sizes;
    Params weights;
};

/// Reads the encoder of pictures, or of text, at `path`: a file or folder by transformers' names, a whole
/// CLIP, or the pipeline around it. The config.json beside the weights tells heads and activation, and where
/// there is none, those of the published models of such sizes. Throws `InputError`, which begins with `key`,
/// where there is none, or it is not whole or computes what ours does not.
PublishedClipVision readPublishedClipVision(const std::string& key, const std::filesystem::path& path);
PublishedClipText readPublishedClipText(const std::string& key, const std::filesystem::path& path);

}  // namespace dailies::trainer::pretrained
