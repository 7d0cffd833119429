#pragma once

#include "trainer/tensors/params.h"

#include <string>

namespace dailies::trainer {

/// Of a tokenizer's kind with its settings and all its weights, as `Tokenizer::identity` gives it.
std::string weightsIdentity(const std::string& kind, const std::string& settings, const Params& weights);

}  // namespace dailies::trainer
