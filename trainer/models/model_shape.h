#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Everything that fixes names and shapes of a model's weights. A checkpoint keeps it and fits only a model
/// of the same.
struct ModelShape {
    config::TrainConfig::Model model;
    std::int64_t frames = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t captionTokens = 0;       ///< size of the vocabulary, with the empty caption's token
    std::int64_t channels = 3;            ///< of pixels or latents
    std::int64_t textWidth = 0;           ///< of the text encoder's embeddings; 0: captions come as words
    config::TrainConfig::Text text = {};  ///< the text encoder, where it is trained along
    std::int64_t latentPixels = 1;        ///< pixels of a latent's side; 1 where the model learns pixels
    std::int64_t framesPerLatent = 1;     ///< frames that a frame of latents stands for, but the first
    /// Of what an encoder of pictures sees in reference pictures, or in images that clips begin with; 0: the
    /// model reads none.
    std::int64_t imageWidth = 0;

    /// Whether the captions come as bytes, to an encoder that is trained along.
    bool readsBytes() const { return textWidth > 0 && text.encoder == "bytes"; }
    /// What a configuration alone tells: model, size of clips as it sees them, text encoder and how much of a
    /// clip its tokenizer folds. What the data have is another's to set.
    static ModelShape of(const config::TrainConfig& config);

    Json toJson() const;
    /// Of what `toJson` gave. Throws `InputError` for what no model of this trainer has.
    static ModelShape fromJson(const Json& json);
};

/// What differs between the shape of a saved model and that of a config, key by key, as `ModelShape::toJson`
/// gave them.
std::vector<std::string> shapeDifferences(Json saved, Json wanted);

}  // namespace dailies::trainer
