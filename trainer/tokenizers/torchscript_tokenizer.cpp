#include "trainer/tokenizers/torchscript_tokenizer.h"

#include "core/base/error.h"
#include "trainer/data/array_cache.h"

namespace dailies::trainer {

TorchScriptTokenizer::TorchScriptTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device)
    : Tokenizer(config), m_decoder("tokenizer.decoder", config.decoder, device) {
    if (!config.encoder.empty()) m_encoder.emplace("tokenizer.encoder", config.encoder, device);
}

at::Tensor TorchScriptTokenizer::encodePlanes(const at::Tensor& clips) const {
    if (m_encoder) return (*m_encoder)(clips);
    throw InputError("tokenizer.encoder: found nothing, expected the module that turns clips into latents.");
}

std::string TorchScriptTokenizer::identity() const {
    return weightsKey({m_encoder ? m_encoder->identity() : "", m_decoder.identity()});
}

}  // namespace dailies::trainer
