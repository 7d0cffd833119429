#include "trainer/lora/lora_layers.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "trainer/pretrained/families/wan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace dailies::trainer::lora {

namespace {

constexpr std::string_view kWeight = ".weight", kBlocks = "blocks.";
constexpr std::string_view kLayers[] = {
    ".qkv",       ".attention_out", ".cross.query", ".cross.key_value", ".cross.image_key_value",
    ".cross.out", ".mlp_in",        ".mlp_out"};

bool mayHaveAdapter(const std::string& weight) {
    if (!weight.starts_with(kBlocks) || !weight.ends_with(kWeight)) return false;
    const auto layer = std::string_view(weight).substr(0, weight.size() - kWeight.size());
    return std::ranges::any_of(kLayers, [&](std::string_view end) { return layer.ends_with(end); });
}

std::string layerOf(const std::string& weight) {
    return weight.ends_with(kWeight) ? weight.substr(0, weight.size() - kWeight.size()) : weight;
}

/// How the original checkpoints of a published Wan call a layer of diffusers' one; empty: not at all.
std::string originalName(const std::string& diffusers) {
    const auto rest = diffusers.find('.', kBlocks.size());
    if (!diffusers.starts_with(kBlocks) || rest == std::string::npos) return {};
    const auto block = diffusers.substr(0, rest + 1);
    for (const auto* name :
         {"self_attn.q", "self_attn.k", "self_attn.v", "self_attn.o", "cross_attn.q", "cross_attn.k",
          "cross_attn.v", "cross_attn.o", "cross_attn.k_img", "cross_attn.v_img", "ffn.0", "ffn.2"})
        if (pretrained::wanDiffusersName(block + name + ".weight") == diffusers + ".weight")
            return block + name;
    return {};
}

/// `*` stands for any characters, also none.
bool matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) return text.empty();
    if (pattern.front() != '*')
        return !text.empty() && pattern.front() == text.front() && matches(pattern.substr(1), text.substr(1));
    for (std::size_t i = 0; i <= text.size(); ++i)
        if (matches(pattern.substr(1), text.substr(i))) return true;
    return false;
}

bool names(const std::string& pattern, const std::string& name) {
    if (name.empty()) return false;
    if (matches(pattern, name)) return true;
    for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
        if (matches(pattern, std::string_view(name).substr(dot + 1))) return true;
    return false;
}

bool namesLayer(const std::string& pattern, const LoraLayer& layer) {
    return names(pattern, layer.layer) || names(pattern, layer.adapter) || names(pattern, layer.diffusers) ||
           names(pattern, layer.original);
}

/// "blocks.*.attn1.to_q, …": those of the first block, as most people know them.
std::string accepted(const std::vector<LoraLayer>& layers) {
    std::set<std::string> all;
    const auto block = [](const std::string& name) { return name.substr(0, name.find('.', kBlocks.size())); };
    for (const auto& layer : layers) {
        if (block(layer.layer) != block(layers.front().layer)) break;
        const auto& name = layer.diffusers.empty() ? layer.adapter : layer.diffusers;
        all.insert(std::string(kBlocks) + "*" + name.substr(block(name).size()));
    }
    return join({all.begin(), all.end()}, ", ");
}

}  // namespace

std::vector<LoraLayer> loraLayers(const Model& model) {
    const auto weights = model.weightsOnMeta();
    const auto rules = model.tpPlan();
    std::map<std::pair<std::string, std::int64_t>, std::string> theirs;
    for (const auto& name : model.diffusersWeights())
        if (name.order.empty()) theirs[{name.ours, name.firstRow}] = layerOf(name.theirs);
    std::vector<LoraLayer> layers;
    for (const auto& weight : weights.names()) {
        if (!mayHaveAdapter(weight)) continue;
        const auto sizes = weights[weight].sizes().vec();
        // for one rank: the matrices that the weight is made of
        const auto cut = tpShardOf(rules, weight, sizes, 0, 1);
        const auto parts = cut && cut->axis == 0 ? cut->intervals.size() : 1;
        std::int64_t first = 0;
        for (std::size_t i = 0; i < parts; ++i) {
            LoraLayer layer;
            layer.layer = layer.adapter = layerOf(weight);
            layer.rows = parts == 1 ? sizes[0] : cut->intervals[i].size;
            layer.inputs = sizes[1];
            if (cut && cut->axis == 1) layer.style = TpStyle::rowwise;
            // three are queries, keys and values, two keys and values
            if (parts > 1) layer.adapter += std::string(".") + "qkv"[3 - parts + i];
            if (const auto found = theirs.find({weight, first}); found != theirs.end())
                layer.diffusers = found->second;
            const auto& family = model.shape().model.family;
            if (config::isWan(model.shape().model)) layer.original = originalName(layer.diffusers);
            if (family == "ltx") layer.original = layer.diffusers;  // the same name in both
            first += layer.rows;
            layers.push_back(std::move(layer));
        }
    }
    return layers;
}

bool isTargeted(const LoraLayer& layer, const std::vector<std::string>& targets) {
    return targets.empty() ||
           std::ranges::any_of(targets, [&](const auto& pattern) { return namesLayer(pattern, layer); });
}

void requireTargets(const Model& model, const std::vector<std::string>& targets) {
    const auto layers = loraLayers(model);
    const auto weights = model.weightsOnMeta();
    if (layers.empty()) throw InputError("lora.rank: the model has no layers that may have an adapter.");
    std::vector<std::string> problems;
    for (const auto& pattern : targets) {
        if (std::ranges::any_of(layers, [&](const auto& layer) { return namesLayer(pattern, layer); }))
            continue;
        std::set<std::string> others;
        for (const auto& name : weights.names()) others.insert(layerOf(name));
        for (const auto& name : model.diffusersWeights()) others.insert(layerOf(name.theirs));
        const auto other =
            std::ranges::find_if(others, [&](const auto& name) { return names(pattern, name); });
        problems.push_back(sanitizedText(pattern) +
                           (other == others.end()
                                ? " names no layer of the model"
                                : " names " + *other + ", which is no linear layer of attention or the MLP"));
    }
    if (!problems.empty())
        throw InputError("lora.targets: " + join(problems, "; ") + ".",
                         "Name some of " + accepted(layers) + ", or leave the key out for all of them.");
}

double scaleOf(const config::TrainConfig::Lora& config) {
    const auto rank = static_cast<double>(config.rank);
    const auto alpha = config.alpha > 0 ? config.alpha : rank;
    return alpha / (config.rslora ? std::sqrt(rank) : rank);
}

Json shapeOf(const config::TrainConfig::Lora& config, const std::string& base) {
    return {{"rank", config.rank}, {"scale", scaleOf(config)}, {"targets", config.targets}, {"base", base}};
}

}  // namespace dailies::trainer::lora
