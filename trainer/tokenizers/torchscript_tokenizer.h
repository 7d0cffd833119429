#pragma once

#include "trainer/tokenizers/tokenizer.h"
#include "trainer/torchscript.h"

namespace dailies::trainer {

/// A pair of TorchScript modules, as NVIDIA publishes the Cosmos tokenizers: encoder.jit and decoder.jit.
class TorchScriptTokenizer : public Tokenizer {
public:
    TorchScriptTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device);

    std::string identity() const override;

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override { return m_encoder(clips); }
    at::Tensor decodePlanes(const at::Tensor& latents) const override { return m_decoder(latents); }

private:
    TorchScript m_encoder, m_decoder;
};

}  // namespace dailies::trainer
