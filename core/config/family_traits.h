#pragma once

#include "core/config/train_config.h"

#include <string_view>

namespace dailies::config {

/// What families of models have in common, for those who plan them and check their configurations.

/// Its nets are U-Nets, whose levels differ in size, and read no captions.
inline bool isUnet(std::string_view family) {
    return family == "animate" || family == "mimic-motion" || family == "svd";
}
inline bool isUnet(const TrainConfig::Model& model) {
    return isUnet(model.family);
}

/// It is, or is built of, the U-Net of Stable Video Diffusion.
inline bool isVideoUnet(const TrainConfig::Model& model) {
    return model.family == "mimic-motion" || model.family == "svd";
}

/// It animates the character of a reference picture by drawn poses.
inline bool animates(std::string_view family) {
    return family == "animate" || family == "mimic-motion";
}
inline bool animates(const TrainConfig::Model& model) {
    return animates(model.family);
}

/// Captions are brought to the model's width before its blocks, each of which attends to them, be they words
/// or embeddings.
inline bool projectsText(const TrainConfig::Model& model) {
    return model.family == "wan" || model.family == "ltx";
}

/// A learned table of positions, which fits clips of one size only.
inline bool hasPositionTable(const TrainConfig::Model& model) {
    return model.positions == "learned" && (model.family == "dit" || model.family == "st-dit");
}

/// How many places every caption takes; 0: as many as it has tokens.
inline std::int64_t textPlaces(const TrainConfig::Model& model) {
    return model.family == "wan" ? model.text_places : 0;
}

}  // namespace dailies::config
