#include "trainer/pretrained/fp8_scales.h"

#include "trainer/pretrained/families/t5.h"

#include <unordered_map>

namespace dailies::trainer::pretrained {

namespace {

constexpr std::string_view kScaleWeight = ".scale_weight", kWeightScale = ".weight_scale";

/// The weight that a scale of that name belongs to; "" for other names.
std::string weightOf(const std::string& name) {
    for (const auto ending : {kScaleWeight, kWeightScale})
        if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size()) + ".weight";
    return "";
}

/// Hints for 8-bit activations, and what ComfyUI puts into its files beside weights: markers of a scaled one,
/// of the file or of each layer, and the tokenizer of a text encoder.
bool isHint(const std::string& name) {
    if (name == kT5TokenizerTensor) return true;
    return name.ends_with(".scale_input") || name.ends_with(".input_scale") || name == "scaled_fp8" ||
           name.ends_with(".scaled_fp8") || name.ends_with(".comfy_quant");
}

}  // namespace

bool isFp8(const std::string& type) {
    return type == "F8_E4M3" || type == "F8_E5M2";
}

Fp8Scales fp8ScalesOf(const StoredWeights& weights) {
    Fp8Scales found;
    std::unordered_map<std::string, const StoredTensor*> byName;
    for (const auto& tensor : weights.tensors) byName.emplace(tensor.name, &tensor);
    for (const auto& tensor : weights.tensors) {
        if (isHint(tensor.name)) found.helpers.insert(tensor.name);
        const auto weight = weightOf(tensor.name);
        const auto scaled = byName.find(weight);
        if (weight.empty() || scaled == byName.end() || !isFp8(scaled->second->type)) continue;
        found.helpers.insert(tensor.name);
        found.scaleOf[weight] = tensor.name;
        const bool one = tensor.elements() == 1;
        if (tensor.name.ends_with(kWeightScale))
            found.kind = "torchao";
        else if (found.kind.empty() || !one || !tensor.shape.empty())
            found.kind = one && tensor.shape.empty() ? "comfyui" : "musubi";
    }
    for (const auto& tensor : weights.tensors)
        if (isFp8(tensor.type) && !found.helpers.contains(tensor.name) &&
            !found.scaleOf.contains(tensor.name))
            found.without.push_back(tensor.name);
    if (found.kind.empty() && !found.without.empty()) found.kind = "none";
    return found;
}

std::int64_t numbersPerScale(const Extents& scale, const Extents& weight) {
    const auto elements = Box::whole(scale).elements();
    if (elements == 1) return Box::whole(weight).elements();
    if (weight.size() != 2 || scale.empty() || scale.size() > 3 || scale[0] != weight[0]) return 0;
    if (scale.size() == 3 && scale[2] != 1) return 0;
    const auto blocks = elements / weight[0];
    return blocks > 0 && weight[1] % blocks == 0 ? weight[1] / blocks : 0;
}

}  // namespace dailies::trainer::pretrained
