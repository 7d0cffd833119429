#include "trainer/tokenizers/tokenizer.h"

#include "core/base/error.h"
#include "core/config/latent_size.h"
#include "trainer/data/array.h"
#include "trainer/tokenizers/causal_vae/vae_tokenizer.h"
#include "trainer/tokenizers/ltx_vae/ltx_vae_tokenizer.h"
#include "trainer/tokenizers/sd_vae/sd_vae_tokenizer.h"
#include "trainer/tokenizers/torchscript_tokenizer.h"
#include "trainer/tokenizers/wan_vae/wan_vae_tokenizer.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

#include <tuple>

namespace dailies::trainer {

namespace {

std::string sizesText(const at::Tensor& tensor) {
    return shapeText(tensor.sizes().vec());
}

at::Tensor planesFirst(const at::Tensor& x) {
    return x.permute({0, 4, 1, 2, 3}).contiguous();
}

at::Tensor planesLast(const at::Tensor& x) {
    return x.permute({0, 2, 3, 4, 1}).to(at::kFloat).contiguous();
}

}  // namespace

ClipSize Tokenizer::latentSize(const ClipSize& clip) const {
    return {config::latentFrames(clip.frames, m_config.frames_factor),
            config::latentSide(clip.height, m_config.space_factor),
            config::latentSide(clip.width, m_config.space_factor)};
}

void Tokenizer::requireFactors(std::int64_t frames, std::int64_t space, std::int64_t channels,
                               const std::string& of) const {
    for (const auto& [key, configured, found] : {std::tuple{"frames_factor", m_config.frames_factor, frames},
                                                 {"space_factor", m_config.space_factor, space},
                                                 {"channels", m_config.channels, channels}})
        if (configured != found)
            throw InputError("tokenizer." + std::string(key) + ": found " + std::to_string(configured) +
                             ", but the VAE of " + of + " has " + std::to_string(found) + ".");
}

at::Tensor Tokenizer::encode(const at::Tensor& clips) const {
    const at::NoGradGuard noGradients;
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    const auto size = latentSize({clips.size(1), clips.size(2), clips.size(3)});
    auto latents = planesLast(encodePlanes(planesFirst(clips)));
    const std::vector<std::int64_t> expected{clips.size(0), size.frames, size.height, size.width, channels()};
    if (latents.sizes() == at::IntArrayRef(expected)) return latents;
    throw InputError("The tokenizer makes latents " + sizesText(latents) + " of clips " + sizesText(clips) +
                         ", but the config tells " + shapeText(expected) + ".",
                     "Set tokenizer.frames_factor, tokenizer.space_factor and tokenizer.channels as the "
                     "tokenizer has them.");
}

at::Tensor Tokenizer::decode(const at::Tensor& latents) const {
    const at::NoGradGuard noGradients;
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    return planesLast(decodePlanes(planesFirst(latents)));
}

at::Tensor Tokenizer::decodePiece(const at::Tensor& latents, StreamState& memory, bool last) const {
    const at::NoGradGuard noGradients;
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    const auto planes = decodePlanesPiece(planesFirst(latents), memory, last);
    return planes.defined() ? planesLast(planes) : planes;
}

at::Tensor Tokenizer::decodePlanesPiece(const at::Tensor& latents, StreamState& memory, bool last) const {
    auto& waiting = memory["waiting"];
    waiting = waiting.defined() ? at::cat({waiting, latents}, 2) : latents;
    return last ? decodePlanes(waiting) : at::Tensor();
}

std::unique_ptr<Tokenizer> makeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device) {
    if (config.kind == "none") return nullptr;
    if (config.kind == "vae") return std::make_unique<VaeTokenizer>(config, device);
    if (config.kind == "wan_vae") return std::make_unique<WanVaeTokenizer>(config, device);
    if (config.kind == "ltx_vae") return std::make_unique<LtxVaeTokenizer>(config, device);
    if (config.kind == "sd_vae") return std::make_unique<SdVaeTokenizer>(config, device);
    if (config.kind == "torchscript") return std::make_unique<TorchScriptTokenizer>(config, device);
    throw InputError("tokenizer.kind: this trainer has no tokenizer \"" + config.kind + "\".");
}

}  // namespace dailies::trainer
