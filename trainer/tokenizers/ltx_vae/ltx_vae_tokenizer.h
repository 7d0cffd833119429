#pragma once

#include "trainer/tokenizers/ltx_vae/ltx_vae.h"
#include "trainer/tokenizers/tokenizer.h"

namespace dailies::trainer {

/// LTX-Video's autoencoder as it is published. Clips go through it whole, one by one: its decoder looks at
/// frames before and behind, and reaches so far across them that tiles would save nothing.
class LtxVaeTokenizer : public Tokenizer {
public:
    /// Reads `config.weights`, a file or a folder in diffusers' or the original names, also one that holds
    /// the transformer, too. Throws `InputError` when it holds no whole such VAE, or one of other factors or
    /// channels than the config tells.
    LtxVaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device);

    std::string identity() const override { return m_identity; }
    std::optional<ValueScale> latentScale() const override { return m_scale; }

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override;
    at::Tensor decodePlanes(const at::Tensor& latents) const override;

private:
    ltx_vae::LtxVae m_vae;
    Params m_weights;
    ValueScale m_scale;
    std::string m_identity;
};

}  // namespace dailies::trainer
