#pragma once

#include "core/config/train_config.h"
#include "trainer/data/data_source.h"
#include "trainer/models/clip/clip_vision.h"
#include "trainer/tokenizers/tokenizer.h"

#include <memory>
#include <optional>
#include <string>

namespace dailies::trainer {

/// Makes of reference pictures what a model of characters reads of them: their latents, and with
/// `model.image_encoder` what CLIP sees in them. Its weights are frozen. Any number of threads.
class ReferenceEncoder {
public:
    /// `tokenizer` must outlive it. Throws `InputError` where `model.image_encoder` holds no whole image
    /// encoder of CLIP with a projection.
    ReferenceEncoder(const config::TrainConfig::Model& model, const Tokenizer& tokenizer, at::Device device);

    /// Sets the guide's latents, and its embedding where there is an image encoder.
    void encode(CharacterGuide& guide) const;

    /// Of the embeddings; 0 without an image encoder.
    std::int64_t width() const { return m_vision ? m_vision->sizes().tower.projection : 0; }
    /// Of the image encoder's weights: embeddings of one mean nothing to another. Empty without one.
    const std::string& identity() const { return m_identity; }

private:
    const Tokenizer& m_tokenizer;
    at::Device m_device;
    std::optional<clip::VisionTower> m_vision;
    Params m_weights;
    std::string m_identity;
};

/// Its identity; empty without one.
std::string imageEncoderOf(const ReferenceEncoder* references);

/// Null where the model animates no character, or reads its pixels.
std::unique_ptr<ReferenceEncoder> makeReferenceEncoder(const config::TrainConfig::Model& model,
                                                       const Tokenizer* tokenizer, at::Device device);

}  // namespace dailies::trainer
