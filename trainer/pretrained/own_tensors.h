#pragma once

#include "core/base/json.h"
#include "trainer/pretrained/tensor_table.h"

namespace dailies::trainer::pretrained {

/// Names and shapes that a model of this trainer has, by what `ModelShape::toJson` says of it; none where
/// that is no model of this trainer.
NamedShapes ownTensors(const Json& modelShape);

}  // namespace dailies::trainer::pretrained
