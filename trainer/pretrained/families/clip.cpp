#include "trainer/pretrained/families/clip.h"

#include <algorithm>
#include <array>

// Names are those of transformers' CLIPModel and its parts. How many heads there are and what activates is in
// the config.json; without one, it is what the published models of such a width have.

namespace dailies::trainer::pretrained {

namespace {

using clip::TextSizes;
using clip::TowerSizes;
using clip::VisionSizes;

const std::string kVisionModel = "vision_model.", kTextModel = "text_model.";
const std::string kLayers = "encoder.layers.", kQuery = "self_attn.q_proj.weight", kFc1 = "mlp.fc1.weight";
const std::string kClassEmbedding = "embeddings.class_embedding", kPreNorm = "pre_layrnorm.weight",
                  kPatches = "embeddings.patch_embedding.weight",
                  kPlaces = "embeddings.position_embedding.weight",
                  kWords = "embeddings.token_embedding.weight", kPlaceIds = "embeddings.position_ids";
const std::string kScale = "logit_scale";
constexpr std::array kProjections = {"visual_projection.", "text_projection."};

std::string behindModel(const std::string& model, const std::string& name) {
    const bool ofAll = name == kScale || std::ranges::any_of(kProjections, [&](const char* projection) {
                           return name.starts_with(projection);
                       });
    return ofAll ? name : model + name;
}

/// PublishedTower models: what their shapes do not tell, by the width of the encoder.
struct PublishedTower {
    std::int64_t width, layers, heads;
    const char* activation;
    const char* model;
};
constexpr std::array<PublishedTower, 4> kImageEncoders = {{{768, 12, 12, "quick_gelu", "CLIP ViT-B"},
                                                           {1024, 24, 16, "quick_gelu", "CLIP ViT-L/14"},
                                                           {1280, 32, 16, "gelu", "CLIP ViT-H/14"},
                                                           {1664, 48, 16, "gelu", "CLIP ViT-bigG/14"}}};
constexpr std::array<PublishedTower, 4> kTextEncoders = {{{512, 12, 8, "quick_gelu", "CLIP ViT-B"},
                                                          {768, 12, 12, "quick_gelu", "CLIP ViT-L/14"},
                                                          {1024, 24, 16, "gelu", "CLIP ViT-H/14"},
                                                          {1280, 32, 20, "gelu", "CLIP ViT-bigG/14"}}};

const PublishedTower* publishedOf(const std::array<PublishedTower, 4>& models, const TowerSizes& sizes) {
    const auto* found = std::ranges::find(models, sizes.width, &PublishedTower::width);
    return found == models.end() || found->layers != sizes.layers ? nullptr : found;
}

/// Of a whole model the configuration has a part for each encoder.
Json configOf(const Hints& hints, const char* part) {
    if (!hints.config.is_object()) return Json::object();
    const auto found = hints.config.find(part);
    return found != hints.config.end() && found->is_object() ? *found : hints.config;
}

/// The transformer of one encoder; nullopt where there is none.
std::optional<TowerSizes> towerOf(const TensorTable& tensors, const std::string& model,
                                  const std::string& projection, const Json& config,
                                  const std::array<PublishedTower, 4>& models) {
    const auto attention = tensors.blockWith(model + kLayers, kQuery);
    const auto mlp = tensors.blockWith(model + kLayers, kFc1);
    if (attention.empty() || mlp.empty()) return std::nullopt;
    TowerSizes sizes;
    sizes.width = tensors.axis({attention + kQuery}, 1).value_or(0);
    sizes.hidden = tensors.axis({mlp + kFc1}, 0).value_or(0);
    sizes.projection = tensors.axis({projection + "weight"}, 0).value_or(0);
    if (!inReason(sizes.width) || !inReason(sizes.hidden) ||
        (sizes.projection != 0 && !inReason(sizes.projection)))
        return std::nullopt;
    constexpr std::int64_t kMostLayers = 1000;  // a configuration may claim any number
    sizes.layers = std::max(tensors.blocks(model + kLayers),
                            std::min(configNumber(config, {"num_hidden_layers"}).value_or(0), kMostLayers));
    const auto* published = publishedOf(models, sizes);
    constexpr std::int64_t kHeadWidth = 64;
    sizes.heads =
        configNumber(config, {"num_attention_heads"})
            .value_or(published ? published->heads : std::max(sizes.width / kHeadWidth, std::int64_t{1}));
    if (published) sizes.activation = published->activation;
    // a configuration that does not say it means transformers' own choice
    if (config.contains("model_type")) sizes.activation = "quick_gelu";
    if (const auto told = config.find("hidden_act"); told != config.end() && told->is_string())
        sizes.activation = told->get<std::string>();
    return sizes;
}

/// Encoders of SigLIP and others have layers of the same names, but none of these.
std::optional<VisionSizes> visionOf(const TensorTable& tensors, const Hints& hints) {
    if (!tensors.has(kVisionModel + kClassEmbedding) && !tensors.has(kVisionModel + kPreNorm))
        return std::nullopt;
    const auto config = configOf(hints, "vision_config");
    const auto tower = towerOf(tensors, kVisionModel, kProjections[0], config, kImageEncoders);
    if (!tower) return std::nullopt;
    VisionSizes sizes;
    sizes.tower = *tower;
    constexpr std::int64_t kMostPixels = 10'000;
    const auto inPixels = [](std::int64_t pixels) { return pixels > 0 && pixels <= kMostPixels; };
    const auto patch = tensors.axis({kVisionModel + kPatches}, 2);
    sizes.patch =
        patch && inPixels(*patch) ? *patch : configNumber(config, {"patch_size"}).value_or(sizes.patch);
    sizes.side = configNumber(config, {"image_size"}).value_or(sizes.side);
    if (const auto places = tensors.axis({kVisionModel + kPlaces}, 0)) {
        std::int64_t patches = 0;  // of a side
        while (patches <= kMostPixels && (patches + 1) * (patches + 1) < *places) ++patches;
        if (inPixels(patches) && 1 + patches * patches == *places) sizes.side = patches * sizes.patch;
    }
    return sizes;
}

std::optional<TextSizes> textOf(const TensorTable& tensors, const Hints& hints) {
    if (!tensors.has(kTextModel + kWords) && !tensors.has(kTextModel + "final_layer_norm.weight"))
        return std::nullopt;
    if (tensors.has(kTextModel + "head.weight")) return std::nullopt;  // SigLIP
    const auto config = configOf(hints, "text_config");
    const auto tower = towerOf(tensors, kTextModel, kProjections[1], config, kTextEncoders);
    if (!tower) return std::nullopt;
    TextSizes sizes;
    sizes.tower = *tower;
    if (const auto rows = tensors.axis({kTextModel + kWords}, 0); rows && inReason(*rows))
        sizes.vocabulary = *rows;
    if (const auto rows = tensors.axis({kTextModel + kPlaces}, 0); rows && inReason(*rows))
        sizes.places = *rows;
    return sizes;
}

void addTower(Json& json, const std::string& name, const TowerSizes& sizes) {
    json[name + "_dim"] = sizes.width;
    json[name + "_layers"] = sizes.layers;
    json[name + "_heads"] = sizes.heads;
    json[name + "_ffn_dim"] = sizes.hidden;
    json[name + "_projection"] = sizes.projection;
    json[name + "_activation"] = sizes.activation;
}

TowerSizes towerFrom(const Json& json, const std::string& name) {
    return {.width = json.at(name + "_dim"),
            .layers = json.at(name + "_layers"),
            .heads = json.at(name + "_heads"),
            .hidden = json.at(name + "_ffn_dim"),
            .projection = json.at(name + "_projection"),
            .activation = json.at(name + "_activation")};
}

std::string modelName(const std::optional<VisionSizes>& vision, const std::optional<TextSizes>& text) {
    const auto* ofImages = vision ? publishedOf(kImageEncoders, vision->tower) : nullptr;
    const auto* ofText = text ? publishedOf(kTextEncoders, text->tower) : nullptr;
    if (vision && text)
        return ofImages && ofText && std::string(ofImages->model) == ofText->model ? ofImages->model : "";
    if (ofImages) return std::string(ofImages->model) + " image encoder";
    return ofText ? std::string(ofText->model) + " text encoder" : "";
}

/// What files of transformers before 4.31 have beside the weights: the numbers 0, 1, 2, …
void addPlaceIds(Family& family, const TensorTable& tensors, const std::string& model, std::int64_t places) {
    const auto name = model + kPlaceIds;
    if (!tensors.has(name)) return;
    family.expected.push_back({name, {1, places}});
    family.constants.insert(name);
}

}  // namespace

std::string clipVisionName(const std::string& name) {
    return behindModel(kVisionModel, name);
}

std::string clipTextName(const std::string& name) {
    return behindModel(kTextModel, name);
}

VisionSizes clipVisionSizes(const Json& sizes) {
    return {.tower = towerFrom(sizes, "image"), .patch = sizes.at("patch"), .side = sizes.at("side")};
}

TextSizes clipTextSizes(const Json& sizes) {
    return {.tower = towerFrom(sizes, "text"),
            .vocabulary = sizes.at("vocabulary"),
            .places = sizes.at("text_places")};
}

std::optional<Family> recogniseClip(const TensorTable& tensors, const Hints& hints) {
    auto vision = visionOf(tensors, hints);
    auto text = textOf(tensors, hints);
    if (!vision && !text) return std::nullopt;
    Family family{vision && text ? "clip" : vision ? "clip_vision" : "clip_text", modelName(vision, text)};
    if (vision && text) {  // their embeddings have one width
        auto& seen = vision->tower.projection;
        auto& read = text->tower.projection;
        const auto told = configNumber(hints.config, {"projection_dim"}).value_or(text->tower.width);
        seen = seen > 0 ? seen : read > 0 ? read : told;
        read = read > 0 ? read : seen;
    }
    if (vision) {
        addTower(family.sizes, "image", vision->tower);
        family.sizes["patch"] = vision->patch;
        family.sizes["side"] = vision->side;
        family.expected = clip::visionTensors(*vision);
        addPlaceIds(family, tensors, kVisionModel, vision->tokens());
    }
    if (text) {
        addTower(family.sizes, "text", text->tower);
        family.sizes["vocabulary"] = text->vocabulary;
        family.sizes["text_places"] = text->places;
        std::ranges::move(clip::textTensors(*text), std::back_inserter(family.expected));
        addPlaceIds(family, tensors, kTextModel, text->places);
    }
    if ((vision && text) || tensors.has(kScale)) family.expected.push_back({kScale, {}});
    return family;
}

}  // namespace dailies::trainer::pretrained
