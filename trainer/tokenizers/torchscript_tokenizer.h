#pragma once

#include "trainer/runtime/torchscript.h"
#include "trainer/tokenizers/tokenizer.h"

#include <optional>

namespace dailies::trainer {

/// A pair of TorchScript modules, as NVIDIA publishes the Cosmos tokenizers: encoder.jit and decoder.jit.
class TorchScriptTokenizer : public Tokenizer {
public:
    TorchScriptTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device);

    std::string identity() const override;

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override;
    at::Tensor decodePlanes(const at::Tensor& latents) const override { return m_decoder(latents); }

private:
    std::optional<TorchScript> m_encoder;  ///< none where the data hold the latents
    TorchScript m_decoder;
};

}  // namespace dailies::trainer
