#include "trainer/pretrained/recognition.h"

#include "trainer/pretrained/families/clip.h"
#include "trainer/pretrained/families/ltx.h"
#include "trainer/pretrained/families/ltx_vae.h"
#include "trainer/pretrained/families/pose_guider.h"
#include "trainer/pretrained/families/sd_unet.h"
#include "trainer/pretrained/families/sd_vae.h"
#include "trainer/pretrained/families/t5.h"
#include "trainer/pretrained/families/video_unet.h"
#include "trainer/pretrained/families/wan.h"
#include "trainer/pretrained/families/wan_vae.h"

#include <algorithm>

namespace dailies::trainer::pretrained {

namespace {

using Renamer = std::string (*)(const std::string&);
using Recogniser = std::optional<Family> (*)(const TensorTable&, const Hints&);

std::string asItIs(const std::string& name) {
    return name;
}

/// The families whose every name is known.
struct Known {
    Recogniser recognise;
    Renamer rename;                   ///< the names of other spellings to those of the list
    const char* listed;               ///< whose names the list has
    const char* others = "original";  ///< whose names are changed
};

constexpr Known kKnown[] = {
    {recogniseWan, wanDiffusersName, "diffusers"},
    {recogniseLtx, ltxDiffusersName, "diffusers"},
    {recogniseLtxVae, asItIs, "diffusers"},
    {recogniseLtxVae, ltxVae090Name, "diffusers"},
    {recogniseLtxVae, ltxVae091Name, "diffusers"},
    {recogniseLtxVae, ltxVae095Name, "diffusers"},
    {recogniseWanVae, wanVaeDiffusersName, "diffusers"},
    {recogniseSdVae, sdVaeRecentName, "diffusers", "diffusers"},
    {recogniseSdVae, sdVaeDiffusersName, "diffusers", "ldm"},
    {recogniseUnet, motionDiffusersName, "diffusers", "animatediff"},
    {recogniseUnet, unetDiffusersName, "diffusers", "ldm"},
    {recogniseVideoUnet, videoUnetName, "original", "diffusers"},
    {recogniseVideoUnet, videoUnetOriginalName, "original", "sgm"},
    {recogniseMotion, motionDiffusersName, "diffusers", "animatediff"},
    {recognisePoseGuider, poseGuiderName, "original"},
    {recogniseT5, t5TransformersName, "transformers"},
    {recogniseClip, clipName, "transformers"},
    {recogniseClip, clipVisionName, "transformers", "transformers"},
    {recogniseClip, clipTextName, "transformers", "transformers"},
};

/// Families that are told by a few names, of which no list is held against the file.
struct ByName {
    const char* family;
    const char* names;
    std::vector<std::string> all;  ///< all of these are there
};

const std::vector<ByName>& byName() {
    static const std::vector<ByName> rows = {
        {"controlnet", "diffusers", {std::string(kControlNetGuider) + "conv_in.weight"}},
        {"sd15_unet",
         "diffusers",
         {"conv_in.weight", "down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight"}},
        {"sd15_unet",
         "ldm",
         {"input_blocks.0.0.weight", "input_blocks.1.1.transformer_blocks.0.attn2.to_k.weight"}},
        {"clip", "original", {"visual.patch_embedding.weight", "visual.transformer.0.attn.to_qkv.weight"}},
        {"clip", "original", {"visual.conv1.weight", "visual.transformer.resblocks.0.attn.in_proj_weight"}},
    };
    return rows;
}

std::string shapeText(const Extents& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    return text + "]";
}

/// Holds the list of a whole model against what is there.
void compare(Recognition& found, const std::vector<const StoredTensor*>& tensors,
             const std::vector<std::string>& names) {
    std::map<std::string, const StoredTensor*> left;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        found.stored.emplace(names[i], tensors[i]->name);
        if (left.emplace(names[i], tensors[i]).second) continue;
        found.unknown.push_back(tensors[i]->name);
        found.repeated.push_back(tensors[i]->name);
    }
    for (const auto& [name, shape] : found.family.expected) {
        const auto there = left.find(name);
        if (there == left.end()) {
            found.missing.push_back(name);
            continue;
        }
        if (there->second->shape != shape)
            found.misshapen.push_back(there->second->name + " " + shapeText(there->second->shape) +
                                      ", expected " + shapeText(shape));
        left.erase(there);
    }
    for (const auto& [name, tensor] : left) found.unknown.push_back(tensor->name);
    found.checked = true;
}

std::string withoutPrefix(const std::string& name, const std::string& prefix) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

/// What all names begin with of that which programs put before a model's names.
std::string commonPrefix(const std::vector<const StoredTensor*>& tensors) {
    for (const std::string prefix :
         {"model.diffusion_model.", "diffusion_model.", "first_stage_model.", "vae.",
          "text_encoders.umt5xxl.transformer.", "cond_stage_model.transformer.", "module.", "model."})
        if (!tensors.empty() && std::ranges::all_of(tensors, [&](const auto* tensor) {
                return tensor->name.starts_with(prefix);
            }))
            return prefix;
    return "";
}

TensorTable tableOf(const std::vector<const StoredTensor*>& tensors, const std::vector<std::string>& names) {
    NamedShapes shapes;
    for (std::size_t i = 0; i < tensors.size(); ++i) shapes.push_back({names[i], tensors[i]->shape});
    return TensorTable(shapes);
}

Json withoutFamily(Json shape) {
    shape.erase("family");
    return shape;
}

std::optional<Recognition> recogniseOwn(const Json& shape, const OwnTensors& own,
                                        const std::vector<const StoredTensor*>& tensors,
                                        const std::vector<std::string>& names) {
    const auto has = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
    const bool saysFamily = shape.is_object() && shape.contains("family") && shape.at("family").is_string();
    const auto expected = saysFamily ? own(shape).tensors : NamedShapes{};
    if (!(has("patch.weight") && has("time.in.weight")) && (expected.empty() || !has(expected.front().name)))
        return std::nullopt;
    Recognition found;
    found.names = "dailies";
    const auto table = tableOf(tensors, names);
    found.family.name = table.has("blocks.0.cross.norm.bias")                               ? "wan"
                        : table.has("positions") || table.has("blocks.0.query_norm.weight") ? "dit"
                                                                                            : "st-dit";
    if (saysFamily) {
        found.family.name = shape.at("family").get<std::string>();
        found.family.sizes = withoutFamily(shape);
        found.family.expected = expected;
    } else {
        found.family.sizes = {{"width", table.axis({"patch.bias", "patch.weight"}, 0).value_or(0)},
                              {"layers", table.blocks("blocks.")}};
    }
    if (!found.family.expected.empty()) compare(found, tensors, names);
    return found;
}

}  // namespace

bool isCharacterPart(const Recognition& found) {
    const auto& family = found.family.name;
    const bool isListed = family == "sd15_unet" || family == "motion_modules" || family == "pose_guider" ||
                          family == "guidance_encoder";
    return (isListed && found.checked) || family == "controlnet";
}

std::map<std::string, std::vector<const StoredTensor*>> modelsIn(const StoredWeights& weights) {
    static const std::vector<std::pair<std::string, std::string>> kParts = {
        {"model.diffusion_model.", "transformer"}, {"first_stage_model.", "vae"},      {"vae.", "vae"},
        {"cond_stage_model.", "text_encoder"},     {"text_encoders.", "text_encoder"},
    };
    std::map<std::string, std::vector<const StoredTensor*>> parts;
    for (const auto& tensor : weights.tensors) {
        const auto found = std::ranges::find_if(
            kParts, [&](const auto& part) { return tensor.name.starts_with(part.first); });
        parts[found == kParts.end() ? "" : found->second].push_back(&tensor);
    }
    // the marker of a scaled file stands without a prefix beside names that have one
    if (parts.size() == 2 && parts.contains("") &&
        std::ranges::all_of(parts.at(""), [](const auto* tensor) { return tensor->name == "scaled_fp8"; }))
        parts.erase("");
    if (parts.size() == 1) {
        auto only = std::move(parts.begin()->second);
        parts.clear();
        parts[""] = std::move(only);
    }
    return parts;
}

Hints hintsOf(const std::filesystem::path& path, const StoredWeights& weights) {
    const auto last = path.parent_path().filename() / path.filename();
    return {weights.config, (last / weights.name).string()};
}

Recognition recognise(const StoredWeights& weights, const std::vector<const StoredTensor*>& tensors,
                      const std::set<std::string>& ignored, const Hints& hints, const OwnTensors& own) {
    std::vector<const StoredTensor*> real;
    for (const auto* tensor : tensors)
        if (!ignored.contains(tensor->name)) real.push_back(tensor);
    const auto prefix = commonPrefix(real);
    std::vector<std::string> bare;
    for (const auto* tensor : real) bare.push_back(withoutPrefix(tensor->name, prefix));

    Json shape;
    if (const auto text = weights.metadata(kOwnModelKey); !text.empty())
        shape = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (auto found = recogniseOwn(shape, own, real, bare)) {
        found->prefix = prefix;
        return *found;
    }
    for (const auto& known : kKnown) {
        std::vector<std::string> names;
        for (const auto& name : bare) names.push_back(known.rename(name));
        auto family = known.recognise(tableOf(real, names), hints);
        if (!family) continue;
        Recognition found;
        found.family = std::move(*family);
        found.names = names == bare ? known.listed : known.others;
        found.prefix = prefix;
        compare(found, real, names);
        return found;
    }
    Recognition found;
    found.prefix = prefix;
    if (shape.is_object() && shape.contains("family") && shape.at("family").is_string()) {
        found.family = {shape.at("family").get<std::string>(), "", withoutFamily(shape),
                        own(shape).asDiffusers};
        found.names = "diffusers";
        if (!found.family.expected.empty()) compare(found, real, bare);
        return found;
    }
    const auto table = tableOf(real, bare);
    for (const auto& row : byName())
        if (std::ranges::all_of(row.all, [&](const auto& name) { return table.has(name); })) {
            found.family.name = row.family;
            found.names = row.names;
            if (const auto width = table.axis({row.all.back()}, 1);
                width && found.family.name == "sd15_unet") {
                found.family.sizes["text_dim"] = *width;
                // the same names with another text encoder: SD 2 has 1024, SDXL 2048
                found.family.name = *width == 768 ? "sd15_unet" : "unet";
            }
            break;
        }
    return found;
}

}  // namespace dailies::trainer::pretrained
