#pragma once

#include "trainer/models/model_family.h"

namespace dailies::trainer {

// What tests of models of characters have in common: clips of three frames whose drawings have 16 × 24
// pixels.

inline constexpr std::int64_t kCharacterFrames = 3;

/// Weights of which none is zero, so that every part takes part.
Params livelyWeights(const Model& model);

/// A batch of two characters, each with a reference picture.
ModelInput twoCharacters(const ModelShape& shape);

/// One clip of it.
ModelInput onlyCharacter(const ModelInput& two, std::int64_t clip);

/// At which of four levels of a U-Net, from fine to coarse, the layer of this name computes.
std::size_t levelOfLayer(const std::string& name);

}  // namespace dailies::trainer
