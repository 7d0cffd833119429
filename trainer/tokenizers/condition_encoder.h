#pragma once

#include "core/config/train_config.h"
#include "trainer/data/example.h"
#include "trainer/models/clip/clip_pictures.h"
#include "trainer/models/clip/clip_vision.h"
#include "trainer/tokenizers/tokenizer.h"

#include <memory>
#include <optional>
#include <string>

namespace dailies::trainer {

/// Makes of pictures what a model is conditioned on: their latents, and with `model.image_encoder` what CLIP
/// sees in them. Its weights are frozen. Any number of threads.
class ConditionEncoder {
public:
    /// `tokenizer` must outlive it. Throws `InputError` where `model.image_encoder` holds no whole image
    /// encoder of CLIP, or where models of characters need its projection and there is none.
    ConditionEncoder(const config::TrainConfig::Model& model, const Tokenizer& tokenizer, at::Device device);

    /// Sets the guide's latents, and its embedding where there is an image encoder: CLIP's projection.
    void encode(CharacterGuide& guide) const;

    /// Of a clip of `frames` frames that begins with the first of `pictures`: the latents of the whole clip,
    /// grey behind it, and where there is an image encoder its states before the last layer, as Wan reads
    /// them; for Stable Video Diffusion the latents of the image alone and CLIP's projection. Where the model
    /// reads last images the clip ends with the last of `pictures`, too.
    ImageCondition imageOf(const RgbClip& pictures, std::int64_t frames) const;

    /// Whether each clip begins with an image (model.conditioning image or first_last).
    bool readsImages() const { return m_readsImages; }
    /// Whether it ends with one, too.
    bool readsLastImages() const { return m_readsLastImages; }
    /// Whether that is the reference picture of its guide; else its first frame.
    bool readsReferenceAsImage() const { return m_readsReferenceAsImage; }

    /// Of what the image encoder sees; 0 without one.
    std::int64_t width() const;
    /// Of the image encoder's weights: what one sees means nothing to another. Empty without one.
    const std::string& identity() const { return m_identity; }

private:
    clip::VisionOutput seen(const at::Tensor& pictures, const clip::PictureFit& fit) const;

    const Tokenizer& m_tokenizer;
    at::Device m_device;
    bool m_readsImages;
    bool m_readsLastImages;
    bool m_readsReferenceAsImage;
    bool m_readsProjection;  ///< one vector of a picture, which stands alone; else tokens, as Wan
    clip::PictureFit m_fit;  ///< of reference pictures into what the encoder sees
    std::optional<clip::VisionTower> m_vision;
    Params m_weights;
    std::string m_identity;
};

/// Its identity; empty without one.
std::string imageEncoderOf(const ConditionEncoder* conditionEncoder);

/// Null where the model is conditioned on no pictures, or reads their pixels.
std::unique_ptr<ConditionEncoder> makeConditionEncoder(const config::TrainConfig::Model& model,
                                                       const Tokenizer* tokenizer, at::Device device);

}  // namespace dailies::trainer
