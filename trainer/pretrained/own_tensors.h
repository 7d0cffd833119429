#pragma once

#include "core/base/json.h"
#include "trainer/pretrained/recognition.h"

namespace dailies::trainer::pretrained {

/// The model that `ModelShape::toJson` says so of; empty lists where that is no model of this trainer.
OwnModel ownTensors(const Json& modelShape);

}  // namespace dailies::trainer::pretrained
