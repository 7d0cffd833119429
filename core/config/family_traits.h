#pragma once

#include "core/config/train_config.h"

namespace dailies::config {

/// What families of models have in common, for those who plan them and check their configurations.

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
