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

/// It is, or is built of, the transformer of Wan 2.x.
inline bool isWan(const TrainConfig::Model& model) {
    return model.family == "wan" || model.family == "unianimate";
}

/// It animates the character of a reference picture by drawn poses.
inline bool animates(std::string_view family) {
    return family == "animate" || family == "mimic-motion" || family == "unianimate";
}
inline bool animates(const TrainConfig::Model& model) {
    return animates(model.family);
}

/// It is told of the reference picture's own pose, too.
inline bool readsReferencePose(std::string_view family) {
    return family == "unianimate";
}

/// Every clip's first frame is given as an image, with `readsLastImages` its last one, too.
inline bool readsImages(std::string_view conditioning) {
    return conditioning == "image" || conditioning == "first_last";
}
inline bool readsLastImages(std::string_view conditioning) {
    return conditioning == "first_last";
}

/// Its clips begin with an image, be that of the data or of a file.
inline bool beginsWithImages(const TrainConfig::Model& model) {
    return readsImages(model.conditioning) && !animates(model);
}

/// Captions are brought to the model's width before its blocks, each of which attends to them, be they words
/// or embeddings.
inline bool projectsText(const TrainConfig::Model& model) {
    return isWan(model) || model.family == "ltx";
}

/// A learned table of positions, which fits clips of one size only.
inline bool hasPositionTable(const TrainConfig::Model& model) {
    return model.positions == "learned" && (model.family == "dit" || model.family == "st-dit");
}

/// How many places every caption takes; 0: as many as it has tokens.
inline std::int64_t textPlaces(const TrainConfig::Model& model) {
    return isWan(model) ? model.text_places : 0;
}

}  // namespace dailies::config
