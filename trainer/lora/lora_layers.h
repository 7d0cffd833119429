#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"
#include "trainer/models/model_family.h"
#include "trainer/models/tp_plan.h"

#include <string>
#include <vector>

namespace dailies::trainer::lora {

/// A matrix that may have an adapter: a linear layer of attention or the MLP in a block, or its part that
/// makes queries, keys or values, which programs other than this one have as layers of their own.
struct LoraLayer {
    std::string layer;      ///< our name: "blocks.0.qkv"
    std::string adapter;    ///< of the factors beside its weight: "blocks.0.qkv.q"
    std::string diffusers;  ///< "blocks.0.attn1.to_q"; empty where diffusers has no such model
    std::string original;   ///< "blocks.0.self_attn.q"; empty where there is no published one
    std::int64_t rows = 0, inputs = 0;
    TpStyle style = TpStyle::columnwise;  ///< how ranks divide it, where they do

    std::string lowerName() const { return adapter + ".lora_A.weight"; }  ///< [rank, inputs]
    std::string upperName() const { return adapter + ".lora_B.weight"; }  ///< [rows, rank]
};

/// All that the model has, the parts of a weight one behind the other as its rows are.
std::vector<LoraLayer> loraLayers(const Model& model);

/// Whether `lora.targets` names the layer: a pattern is one of its names or their end behind a dot, `*`
/// stands for any characters, and without patterns every layer is named.
bool isTargeted(const LoraLayer& layer, const std::vector<std::string>& targets);

/// Throws `InputError` for patterns that name no layer of the model, or none that may have an adapter.
void requireTargets(const Model& model, const std::vector<std::string>& targets);

/// What the product of both factors is multiplied by.
double scaleOf(const config::TrainConfig::Lora& config);

/// What fixes an adapter's factors and what they mean, for a checkpoint's model: rank, scale and layers, and
/// the base that they were trained on.
Json shapeOf(const config::TrainConfig::Lora& config, const std::string& base);

}  // namespace dailies::trainer::lora
