#include "trainer/pretrained/published_clip.h"

#include "core/base/error.h"
#include "trainer/models/clip/clip_tower.h"
#include "trainer/pretrained/families/clip.h"
#include "trainer/pretrained/published_model.h"

#include <torch/types.h>

namespace dailies::trainer::pretrained {

namespace {

/// Refuses what the tensors do not tell and `clip::throughTower` does not compute. `part`: of a whole model's
/// configuration.
void checkSettings(const std::string& key, const std::filesystem::path& path, const Json& config,
                   const char* part, const clip::TowerSizes& sizes) {
    const auto own = config.is_object() && config.contains(part) ? config.at(part) : config;
    const auto epsilon = own.is_object() ? own.value("layer_norm_eps", Json()) : Json();
    if (epsilon.is_number() && epsilon.get<double>() != clip::kNormEpsilon)
        throw InputError(key + ": the CLIP of " + path.string() + " has layer_norm_eps " + epsilon.dump() +
                         ", expected 1e-05, that of all published ones.");
    try {
        clip::checkTower(sizes);
    } catch (const InputError& error) {
        throw InputError(key + ": " + path.string() + ": " + error.what(),
                         "See its config.json, or fetch the weights again.");
    }
}

}  // namespace

PublishedClipVision readPublishedClipVision(const std::string& key, const std::filesystem::path& path) {
    const auto model = openPublished(key, path, {"clip_vision", "clip"}, "CLIP image encoder");
    const auto sizes = clipVisionSizes(model.found.family.sizes);
    checkSettings(key, path, model.weights.config, "vision_config", sizes.tower);
    PublishedClipVision vision{sizes, {}};
    model.readInto(vision.weights, clip::visionTensors(sizes));
    return vision;
}

PublishedClipText readPublishedClipText(const std::string& key, const std::filesystem::path& path) {
    const auto model = openPublished(key, path, {"clip_text", "clip"}, "CLIP text encoder");
    const auto sizes = clipTextSizes(model.found.family.sizes);
    checkSettings(key, path, model.weights.config, "text_config", sizes.tower);
    PublishedClipText text{sizes, {}};
    model.readInto(text.weights, clip::textTensors(sizes));
    return text;
}

}  // namespace dailies::trainer::pretrained
