#include "trainer/tokenizers/reference_encoder.h"

#include "core/base/error.h"
#include "trainer/models/clip/clip_pictures.h"
#include "trainer/pretrained/published_clip.h"
#include "trainer/tokenizers/clip_latents.h"
#include "trainer/tokenizers/weights_identity.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr const char* kImageEncoder = "model.image_encoder";

/// What the numbers mean beside the weights.
std::string settingsText(const clip::TowerSizes& tower) {
    return std::to_string(tower.heads) + " heads, " + tower.activation;
}

}  // namespace

ReferenceEncoder::ReferenceEncoder(const config::TrainConfig::Model& model, const Tokenizer& tokenizer,
                                   at::Device device)
    : m_tokenizer(tokenizer), m_device(device) {
    if (model.image_encoder.empty()) return;
    const auto published = pretrained::readPublishedClipVision(kImageEncoder, model.image_encoder);
    const auto& tower = published.sizes.tower;
    if (tower.projection == 0)
        throw InputError(std::string(kImageEncoder) + ": the CLIP of " + model.image_encoder +
                             " has no visual_projection, whose output both nets read.",
                         "Name one that is published with it: CLIPVisionModelWithProjection.");
    m_vision.emplace(published.sizes);
    m_identity = weightsIdentity("clip_vision", settingsText(tower), published.weights);
    for (const auto& name : published.weights.names())
        m_weights.add(name, published.weights[name].to(device));
}

void ReferenceEncoder::encode(CharacterGuide& guide) const {
    guide.latents = latentsOf(m_tokenizer, guide.reference);
    if (!m_vision) return;
    const at::NoGradGuard noGradients;
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    const auto pictures = bytesOf(guide.reference).to(m_device).permute({0, 3, 1, 2});
    const auto seen = (*m_vision)(m_weights, clip::encoderPictures(pictures, m_vision->sizes().side));
    guide.embedding = toArray(seen.projected);
}

std::string imageEncoderOf(const ReferenceEncoder* references) {
    return references ? references->identity() : "";
}

std::unique_ptr<ReferenceEncoder> makeReferenceEncoder(const config::TrainConfig::Model& model,
                                                       const Tokenizer* tokenizer, at::Device device) {
    if (model.family != "animate" || !tokenizer) return nullptr;
    return std::make_unique<ReferenceEncoder>(model, *tokenizer, device);
}

}  // namespace dailies::trainer
