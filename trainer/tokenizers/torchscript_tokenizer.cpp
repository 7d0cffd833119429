#include "trainer/tokenizers/torchscript_tokenizer.h"

#include "trainer/data/array_cache.h"

namespace dailies::trainer {

TorchScriptTokenizer::TorchScriptTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device)
    : Tokenizer(config),
      m_encoder("tokenizer.encoder", config.encoder, device),
      m_decoder("tokenizer.decoder", config.decoder, device) {}

std::string TorchScriptTokenizer::identity() const {
    return contentKey({m_encoder.identity(), m_decoder.identity()});
}

}  // namespace dailies::trainer
