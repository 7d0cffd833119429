#include "trainer/tokenizers/sd_vae/sd_vae_tokenizer.h"

#include "core/base/error.h"
#include "trainer/pretrained/published_model.h"
#include "trainer/tokenizers/weights_identity.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

namespace {

constexpr const char* kPublishedSdVae = "tokenizer.weights";
constexpr std::int64_t kPictureFrames = 2;  // axis
/// Frames that see each other are decoded together, so many at a time: as many as memory holds of large ones.
/// MimicMotion's program decodes as many (decode_chunk_size).
constexpr std::int64_t kFramesDecodedAtOnce = 8;

pretrained::SdVaeSizes sizesOfSdVae(const Json& sizes, const std::string& path) {
    const auto found = pretrained::sdVaeSizes(sizes);
    if (found.pixels == 3) return found;
    throw InputError(std::string(kPublishedSdVae) + ": the VAE of " + path + " takes " +
                     std::to_string(found.pixels) + " channels of pixels, expected 3.");
}

/// Models learn (latent - shift) · factor: what the config.json beside the weights says, else the number of
/// Stable Diffusion 1 and 2 for weights of their latents.
std::optional<ValueScale> scaleOfSdVae(const Json& config, std::int64_t channels) {
    constexpr double kOfStableDiffusion = 0.18215;
    const auto told = [&](const char* key) -> std::optional<double> {
        if (!config.is_object() || !config.contains(key) || !config.at(key).is_number()) return std::nullopt;
        return config.at(key).get<double>();
    };
    auto factor = told("scaling_factor");
    if (!factor && channels == 4) factor = kOfStableDiffusion;
    if (!factor) return std::nullopt;
    const auto shift = told("shift_factor").value_or(0);
    if (!(*factor > 0) || !std::isfinite(*factor) || !std::isfinite(shift))
        throw InputError(std::string(kPublishedSdVae) +
                         ": the config.json beside the weights has the scaling_factor " +
                         std::to_string(*factor) + ", expected a number above 0.");
    const auto count = static_cast<std::size_t>(channels);
    return ValueScale{std::vector<double>(count, shift), std::vector<double>(count, 1 / *factor)};
}

/// `change` of each frame by itself: memory does not grow with the clip, and what a frame gives does not
/// depend on its neighbours, whose number would change how products are rounded.
template <class Change>
at::Tensor pictureByPicture(const at::Tensor& clips, at::Device device, Change change) {
    std::vector<at::Tensor> frames;
    for (const auto& frame : clips.unbind(kPictureFrames))
        for (const auto& picture : frame.split(1)) frames.push_back(change(picture.to(device)));
    const auto all = at::cat(frames).unflatten(0, {clips.size(kPictureFrames), clips.size(0)});
    return all.permute({1, 2, 0, 3, 4});
}

}  // namespace

SdVaeTokenizer::SdVaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device)
    : Tokenizer(config), m_vae({}) {
    const auto model = pretrained::openPublished(kPublishedSdVae, config.weights, {"autoencoder_kl"},
                                                 "Stable Diffusion VAE");
    m_vae = sd_vae::SdVae(sizesOfSdVae(model.found.family.sizes, config.weights));
    requireFactors(1, m_vae.sizes().spaceFactor(), m_vae.sizes().latents, config.weights);
    m_scale = scaleOfSdVae(model.weights.config, m_vae.sizes().latents);
    for (const auto& [name, shape] : model.found.family.expected)
        sd_vae::addPublished(m_weights, name, model.read(name).to(device));
    m_identity = weightsIdentity("sd_vae", model.found.family.sizes.dump(), m_weights);
}

at::Tensor SdVaeTokenizer::encodePlanes(const at::Tensor& clips) const {
    return pictureByPicture(clips, m_weights.tensors().front().device(),
                            [&](const at::Tensor& picture) { return m_vae.encodeMean(m_weights, picture); });
}

at::Tensor SdVaeTokenizer::decodeOverTime(const at::Tensor& latents) const {
    std::vector<at::Tensor> clips;
    for (const auto& clip : latents.split(1)) {
        std::vector<at::Tensor> pieces;
        for (const auto& piece : clip.split(kFramesDecodedAtOnce, kPictureFrames)) {
            const auto pictures = piece.squeeze(0).transpose(0, 1).to(m_weights.tensors().front().device());
            const auto decoded = m_vae.decode(m_weights, pictures, pictures.size(0)).clamp(-1, 1);
            pieces.push_back(decoded.transpose(0, 1).unsqueeze(0));
        }
        clips.push_back(at::cat(pieces, kPictureFrames));
    }
    return at::cat(clips);
}

at::Tensor SdVaeTokenizer::decodePlanes(const at::Tensor& latents) const {
    if (m_vae.sizes().decodesOverTime) return decodeOverTime(latents);
    return pictureByPicture(latents, m_weights.tensors().front().device(), [&](const at::Tensor& picture) {
        return m_vae.decode(m_weights, picture).clamp(-1, 1);
    });
}

at::Tensor SdVaeTokenizer::decodePlanesPiece(const at::Tensor& latents, StreamState& memory,
                                             bool last) const {
    if (m_vae.sizes().decodesOverTime) return Tokenizer::decodePlanesPiece(latents, memory, last);
    return decodePlanes(latents);
}

}  // namespace dailies::trainer
