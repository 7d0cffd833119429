#pragma once

#include "trainer/models/clip/clip_sizes.h"
#include "trainer/pretrained/families/family.h"

namespace dailies::trainer::pretrained {

/// A name as it is published: transformers' own.
inline std::string clipName(const std::string& name) {
    return name;
}

/// The published name of a tensor of an encoder of pictures, or of text, which transformers 5 saves without
/// the encoder's own name where there is no projection: "embeddings.…", "encoder.layers.…".
std::string clipVisionName(const std::string& name);
std::string clipTextName(const std::string& name);

/// What a file was recognised by, from `Family::sizes` of one that has such an encoder.
clip::VisionSizes clipVisionSizes(const Json& sizes);
clip::TextSizes clipTextSizes(const Json& sizes);

/// `tensors`: by published names. Family "clip_vision", "clip_text", or "clip", which has both.
std::optional<Family> recogniseClip(const TensorTable& tensors, const Hints& hints);

}  // namespace dailies::trainer::pretrained
