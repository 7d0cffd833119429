#include "trainer/lora/adapter_export.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/lora/lora_layers.h"

#include <torch/types.h>

#include <filesystem>

namespace dailies::trainer::lora {

namespace {

std::string publicName(const LoraLayer& layer, AdapterNames names) {
    if (names == AdapterNames::original && !layer.original.empty())
        return "diffusion_model." + layer.original;
    if (!layer.diffusers.empty()) return "transformer." + layer.diffusers;
    if (names == AdapterNames::diffusers)
        throw InputError("diffusers has no model of this family and shape.",
                         "Leave --format out: the adapter is then written with its own names.");
    return layer.adapter;
}

void requireFinite(const Params& adapter) {
    std::vector<std::string> broken;
    for (const auto& name : adapter.names())
        if (!at::isfinite(adapter[name]).all().item<bool>()) broken.push_back(name);
    if (broken.empty()) return;
    throw InputError(
        "The adapter is not finite in " + std::to_string(broken.size()) + " of " +
            std::to_string(adapter.names().size()) + " tensors, the first of them " + broken.front() + ".",
        "Its training diverged: take an earlier checkpoint, or train with a lower optimizer.lr.");
}

}  // namespace

Params adapterTensors(const Model& model, const config::TrainConfig::Lora& config, const Params& adapter,
                      AdapterNames names) {
    requireFinite(adapter);
    const auto scale = scaleOf(config);
    Params tensors;
    bool adds = false;
    for (const auto& layer : loraLayers(model)) {
        if (!adapter.contains(layer.lowerName())) continue;
        const auto name = publicName(layer, names);
        const auto upper = adapter[layer.upperName()].to(at::kFloat) * scale;
        adds = adds || upper.count_nonzero().item<std::int64_t>() > 0;
        tensors.add(name + ".lora_A.weight", adapter[layer.lowerName()].to(at::kFloat).contiguous());
        tensors.add(name + ".lora_B.weight", upper.contiguous());
    }
    for (const auto& name : adapter.names())
        if (model.isAdded(name)) tensors.add(name, adapter[name].to(at::kFloat).contiguous());
    if (!adds)
        throw InputError("The adapter adds nothing: every B is zero, as before its first step.",
                         "Take a checkpoint of a later step.");
    return tensors;
}

std::map<std::string, std::string> adapterMetadata(const config::TrainConfig::Lora& config,
                                                   const std::string& init, const Params& tensors,
                                                   AdapterNames names) {
    const Json trained = {{"rank", config.rank},
                          {"alpha", config.alpha > 0 ? config.alpha : static_cast<double>(config.rank)},
                          {"rslora", config.rslora},
                          {"folded_scale", scaleOf(config)},
                          {"base", std::filesystem::path(init).filename().string()}};
    std::map<std::string, std::string> metadata = {{"format", "pt"}, {"dailies.lora", trained.dump()}};
    if (names != AdapterNames::diffusers) return metadata;  // other names would contradict the targets
    const std::string prefix = "transformer.", ending = ".lora_A.weight";
    Json targets = Json::array();
    for (const auto& name : tensors.names())
        if (name.ends_with(ending))
            targets.push_back(name.substr(prefix.size(), name.size() - prefix.size() - ending.size()));
    metadata["lora_adapter_metadata"] = Json{
        {"transformer.r", config.rank},
        {"transformer.lora_alpha", config.rank},
        {"transformer.target_modules",
         std::move(targets)}}.dump();
    return metadata;
}

}  // namespace dailies::trainer::lora
