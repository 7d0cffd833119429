#include "trainer/tokenizers/ltx_vae/ltx_vae_tokenizer.h"

#include "core/base/error.h"
#include "trainer/pretrained/published_model.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/weights_identity.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr const char* kPublishedLtxVae = "tokenizer.weights";
/// Of decoders that take noise away: what they are told, and how much of it there is, as the pipelines of
/// 0.9.1 to 0.9.8 have it (Lightricks/LTX-Video, configs: decode_timestep, decode_noise_scale).
constexpr double kToldNoise = 0.05, kLeftNoise = 0.025;
constexpr std::uint64_t kLeftNoiseKey = 0x6c7478;

pretrained::LtxVaeSizes sizesOfLtxVae(const pretrained::PublishedModel& model, const std::string& path) {
    const auto sizes = *pretrained::ltxVaeSizes(pretrained::TensorTable(model.found.family.expected));
    constexpr auto kColours = 3 * pretrained::LtxVaeSizes::kPatch * pretrained::LtxVaeSizes::kPatch;
    if (sizes.pixels == kColours) return sizes;
    throw InputError(std::string(kPublishedLtxVae) + ": the VAE of " + path + " takes " +
                     std::to_string(sizes.pixels) + " channels of pixels, expected " +
                     std::to_string(kColours) + ".");
}

ValueScale scaleOfLtxVae(const Params& weights, const std::string& path) {
    const auto numbers = [&](const char* name) {
        const auto values = weights[name].to(at::kCPU, at::kDouble).contiguous();
        return std::vector<double>(values.data_ptr<double>(), values.data_ptr<double>() + values.numel());
    };
    ValueScale scale{numbers("latents_mean"), numbers("latents_std")};
    for (const auto deviation : scale.deviation)
        if (!(deviation > 0))
            throw InputError(std::string(kPublishedLtxVae) + ": " + path +
                             " has a deviation of its latents that is not above 0.");
    return scale;
}

template <class Change>
at::Tensor clipByClip(const at::Tensor& clips, at::Device device, Change change) {
    std::vector<at::Tensor> each;
    for (const auto& clip : clips.split(1)) each.push_back(change(clip.to(device)));
    return at::cat(each);
}

}  // namespace

LtxVaeTokenizer::LtxVaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device)
    : Tokenizer(config), m_vae({}) {
    const auto model =
        pretrained::openPublished(kPublishedLtxVae, config.weights, {"ltx_vae"}, "LTX-Video VAE");
    m_vae = ltx_vae::LtxVae(sizesOfLtxVae(model, config.weights));
    const auto& sizes = m_vae.sizes();
    requireFactors(sizes.framesFactor(), sizes.spaceFactor(), sizes.latents, config.weights);
    for (const auto& [name, shape] : pretrained::ltxVaeTensors(sizes))
        m_weights.add(name, model.read(name).to(device));
    m_scale = scaleOfLtxVae(m_weights, config.weights);
    m_identity = weightsIdentity("ltx_vae", model.found.family.sizes.dump(), m_weights);
}

at::Tensor LtxVaeTokenizer::encodePlanes(const at::Tensor& clips) const {
    return clipByClip(clips, m_weights.tensors().front().device(),
                      [&](const at::Tensor& clip) { return m_vae.encodeMean(m_weights, clip); });
}

at::Tensor LtxVaeTokenizer::decodePlanes(const at::Tensor& latents) const {
    return clipByClip(latents, m_weights.tensors().front().device(), [&](const at::Tensor& clip) {
        auto noisy = clip;
        if (m_vae.sizes().timed) {
            const auto drawn = normalTensor(kLeftNoiseKey, clip.sizes()).to(clip.options());
            noisy = (1 - kLeftNoise) * clip + kLeftNoise * drawn;
        }
        return m_vae.decode(m_weights, noisy, kToldNoise).clamp(-1, 1);
    });
}

}  // namespace dailies::trainer
