#pragma once

#include "core/config/train_config.h"
#include "trainer/lora/base_weights.h"

#include <functional>
#include <memory>
#include <string>

namespace dailies::trainer::lora {

/// Whether the configuration trains less than all weights of its model: an adapter, or what
/// `optimizer.freeze` leaves.
bool trainsPart(const config::TrainConfig& config);

/// Which of the model's weights stay as they are then. `model` must outlive it.
std::function<bool(const std::string& name)> baseOf(const config::TrainConfig& config, const Model& model);

/// What a configuration trains: `model` as it is, an adapter on top of the weights that `base` gives, or the
/// model's weights beside those.
std::unique_ptr<Model> trainedPart(std::unique_ptr<Model> model, const config::TrainConfig& config,
                                   const std::function<BaseWeights(const Model&)>& base);

/// What a checkpoint keeps of the part, beside the model's own shape: adds "lora" or "frozen".
void addPartShape(const Model& model, Json& shape);

/// In one sentence, for the run's log; empty where all is trained.
std::string partText(const Model& model);

}  // namespace dailies::trainer::lora
