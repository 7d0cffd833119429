#pragma once

#include "trainer/models/model_shape.h"

namespace dailies::trainer {

/// The weights of a Dit of Cosmos's shape (adaln lora, no biases, rotary positions only, text by
/// cross-attention, no grouped queries) as diffusers' CosmosTransformer3DModel has them; empty for others.
std::vector<DiffusersWeight> cosmosNames(const ModelShape& shape);

/// The config.json of that model.
Json cosmosConfig(const ModelShape& shape);

}  // namespace dailies::trainer
