#include "trainer/lora/trained_part.h"

#include "core/config/freeze.h"
#include "trainer/lora/frozen_model.h"
#include "trainer/lora/lora_model.h"

namespace dailies::trainer::lora {

bool trainsPart(const config::TrainConfig& config) {
    return config.lora.rank > 0 || !config.optimizer.freeze.empty();
}

std::function<bool(const std::string& name)> baseOf(const config::TrainConfig& config, const Model& model) {
    if (config.lora.rank > 0) return [&model](const std::string& name) { return !model.isAdded(name); };
    return [patterns = config.optimizer.freeze](const std::string& name) {
        return config::isFrozen(patterns, name);
    };
}

std::unique_ptr<Model> trainedPart(std::unique_ptr<Model> model, const config::TrainConfig& config,
                                   const std::function<BaseWeights(const Model&)>& base) {
    if (!trainsPart(config)) return model;
    auto weights = base(*model);
    if (config.lora.rank > 0)
        return std::make_unique<LoraModel>(std::move(model), config.lora, std::move(weights));
    return std::make_unique<FrozenModel>(std::move(model), config.optimizer.freeze, std::move(weights));
}

void addPartShape(const Model& model, Json& shape) {
    if (const auto* adapter = dynamic_cast<const LoraModel*>(&model)) shape["lora"] = adapter->loraShape();
    if (const auto* part = dynamic_cast<const FrozenModel*>(&model)) shape["frozen"] = part->frozenShape();
}

std::string partText(const Model& model) {
    if (const auto* adapter = dynamic_cast<const LoraModel*>(&model)) return adapter->text();
    if (const auto* part = dynamic_cast<const FrozenModel*>(&model)) return part->text();
    return "";
}

}  // namespace dailies::trainer::lora
