#pragma once

#include "trainer/models/model_shape.h"

namespace dailies::trainer {

/// The smallest shape of the variant that ranks can divide: four heads and an even number of tokens for each.
inline ModelShape divisible(ModelShape shape) {
    shape.model.width = 48;
    shape.model.heads = 4;
    if (shape.model.kv_heads > 0) shape.model.kv_heads = 2;
    return shape;
}

}  // namespace dailies::trainer
