#include "trainer/tokenizers/wan_vae/wan_vae_tokenizer.h"

#include "core/base/error.h"
#include "trainer/pretrained/published_model.h"
#include "trainer/tokenizers/causal_vae/tiles.h"
#include "trainer/tokenizers/weights_identity.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr const char* kWeights = "tokenizer.weights";

pretrained::WanVaeSizes sizesOf(const Json& sizes, const std::string& path) {
    const auto found = pretrained::wanVaeSizes(sizes);
    const std::int64_t expected = found.residual ? 12 : 3;
    if (found.pixels == expected) return found;
    throw InputError(std::string(kWeights) + ": the VAE of " + path + " takes " +
                     std::to_string(found.pixels) + " channels of pixels, expected " +
                     std::to_string(expected) + ".");
}

/// What the config.json beside the weights says, else the published numbers for weights of published sizes.
std::optional<ValueScale> scaleOf(const pretrained::PublishedModel& model, std::int64_t channels) {
    const auto& config = model.weights.config;
    if (config.is_object() && config.contains("latents_mean"))
        return latentScaleFrom(config, channels, kWeights,
                               model.weights.files.front().path.parent_path() / "config.json");
    if (!model.found.family.model.empty()) return pretrained::wanVaeLatentScale(channels);
    return std::nullopt;
}

}  // namespace

WanVaeTokenizer::WanVaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device)
    : Tokenizer(config), m_vae({}) {
    const auto model = pretrained::openPublished(kWeights, config.weights, {"wan_vae"}, "Wan VAE");
    m_vae = wan_vae::WanVae(sizesOf(model.found.family.sizes, config.weights));
    requireFactors(wan_vae::WanVae::kFramesFactor, m_vae.spaceFactor(), m_vae.sizes().latents,
                   config.weights);
    m_scale = scaleOf(model, m_vae.sizes().latents);
    for (const auto& [name, shape] : model.found.family.expected)
        wan_vae::addPublished(m_weights, name, model.read(name).to(device));
    m_identity = weightsIdentity("wan_vae", model.found.family.sizes.dump(), m_weights);
}

at::Tensor WanVaeTokenizer::encodePlanes(const at::Tensor& clips) const {
    return vae::encodeInTiles(m_vae, m_weights, clips);
}

at::Tensor WanVaeTokenizer::decodePlanes(const at::Tensor& latents) const {
    return vae::decodeInTiles(m_vae, m_weights, latents);
}

at::Tensor WanVaeTokenizer::decodePlanesPiece(const at::Tensor& latents, StreamState& memory, bool) const {
    return vae::decodePiece(m_vae, m_weights, latents, memory);
}

}  // namespace dailies::trainer
