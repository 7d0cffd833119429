#include "trainer/tokenizers/condition_encoder.h"

#include "core/base/error.h"
#include "core/config/conditioning.h"
#include "trainer/pretrained/published_clip.h"
#include "trainer/tokenizers/clip_latents.h"
#include "trainer/tokenizers/weights_identity.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr const char* kImageEncoder = "model.image_encoder";

/// wan/modules/clip.py, CLIPModel.visual: squeezed to a square, without antialiasing.
constexpr clip::PictureFit kWanFit{.crop = false, .antialias = false};
/// StableVideoDiffusionPipeline of diffusers, _encode_image: squeezed to a square.
constexpr clip::PictureFit kVideoDiffusionFit{.crop = false, .antialias = true};

/// What the numbers mean beside the weights.
std::string settingsText(const clip::TowerSizes& tower) {
    return std::to_string(tower.heads) + " heads, " + tower.activation;
}

}  // namespace

ConditionEncoder::ConditionEncoder(const config::TrainConfig::Model& model, const Tokenizer& tokenizer,
                                   at::Device device)
    : m_tokenizer(tokenizer),
      m_device(device),
      m_readsImages(config::readsImages(model.conditioning)),
      m_readsLastImages(config::readsLastImages(model.conditioning)),
      m_readsReferenceAsImage(m_readsImages && config::animates(model)),
      m_readsProjection(!m_readsImages || config::isVideoUnet(model)),
      m_fit(config::isVideoUnet(model) ? kVideoDiffusionFit : clip::PictureFit{}) {
    if (model.image_encoder.empty()) return;
    const auto published = pretrained::readPublishedClipVision(kImageEncoder, model.image_encoder);
    const auto& tower = published.sizes.tower;
    if (m_readsProjection && tower.projection == 0)
        throw InputError(std::string(kImageEncoder) + ": the CLIP of " + model.image_encoder +
                             " has no visual_projection, whose output the model reads.",
                         "Name one that is published with it: CLIPVisionModelWithProjection.");
    const auto row = published.sizes.side / published.sizes.patch, places = row * row + 1;
    if (m_readsLastImages && places != config::kImageTokens)
        throw InputError(std::string(kImageEncoder) + ": found " + std::to_string(places) +
                             " places of a picture, expected " + std::to_string(config::kImageTokens) +
                             " with model.conditioning first_last: each has a learned position.",
                         "Name the image_encoder that is published with the model.");
    m_vision.emplace(published.sizes);
    m_identity = weightsIdentity("clip_vision", settingsText(tower) + (m_fit.crop ? "" : ", squeezed"),
                                 published.weights);
    for (const auto& name : published.weights.names())
        m_weights.add(name, published.weights[name].to(device));
}

std::int64_t ConditionEncoder::width() const {
    if (!m_vision) return 0;
    const auto& tower = m_vision->sizes().tower;
    return m_readsProjection ? tower.projection : tower.width;
}

clip::VisionOutput ConditionEncoder::seen(const at::Tensor& pictures, const clip::PictureFit& fit) const {
    const at::NoGradGuard noGradients;
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    const auto planes = pictures.to(m_device).permute({0, 3, 1, 2});
    return (*m_vision)(m_weights, clip::encoderPictures(planes, m_vision->sizes().side, fit));
}

void ConditionEncoder::encode(CharacterGuide& guide) const {
    guide.latents = latentsOf(m_tokenizer, guide.reference);
    if (m_vision) guide.embedding = toArray(seen(bytesOf(guide.reference), m_fit).projected);
}

ImageCondition ConditionEncoder::imageOf(const RgbClip& pictures, std::int64_t frames) const {
    const at::NoGradGuard noGradients;
    const auto all = bytesOf(pictures), image = all.narrow(0, 0, 1);
    if (m_readsProjection) {
        const RgbClip first{1,
                            pictures.height,
                            pictures.width,
                            {pictures.rgb.begin(),
                             pictures.rgb.begin() + static_cast<std::ptrdiff_t>(pictures.frameBytes())}};
        ImageCondition condition{latentsOf(m_tokenizer, first)};
        if (m_vision) condition.tokens = toArray(seen(image, m_fit).projected);
        return condition;
    }
    auto clip = at::zeros({1, frames, pictures.height, pictures.width, 3});  // grey, halfway from -1 to 1
    clip[0][0].copy_(image[0].to(at::kFloat) / 127.5 - 1);
    if (m_readsLastImages) clip[0][-1].copy_(all[-1].to(at::kFloat) / 127.5 - 1);
    ImageCondition condition{toArray(m_tokenizer.encode(clip).squeeze(0))};
    condition.endsWithImage = m_readsLastImages;
    if (m_vision) {
        const auto told = m_readsLastImages ? at::cat({image, all.narrow(0, -1, 1)}) : image;
        condition.tokens = toArray(seen(told, kWanFit).penultimate.flatten(0, 1));
    }
    return condition;
}

std::string imageEncoderOf(const ConditionEncoder* conditionEncoder) {
    return conditionEncoder ? conditionEncoder->identity() : "";
}

std::unique_ptr<ConditionEncoder> makeConditionEncoder(const config::TrainConfig::Model& model,
                                                       const Tokenizer* tokenizer, at::Device device) {
    const bool readsPictures = config::animates(model) || config::readsImages(model.conditioning);
    if (!readsPictures || !tokenizer) return nullptr;
    return std::make_unique<ConditionEncoder>(model, *tokenizer, device);
}

}  // namespace dailies::trainer
