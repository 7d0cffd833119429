#pragma once

#include "trainer/models/model_family.h"

namespace dailies::trainer {

/// The model of `shape`, with the text encoder that is trained along where `shape.text.encoder` names one:
/// a small transformer over a caption's bytes whose weights are the model's, named "text.…". Throws like
/// `makeModel`.
std::unique_ptr<Model> makeModelWithTextEncoder(const ModelShape& shape, at::Device device);

}  // namespace dailies::trainer
