#pragma once

#include "trainer/tokenizers/tokenizer.h"
#include "trainer/tokenizers/wan_vae/wan_vae.h"

namespace dailies::trainer {

/// Wan's video autoencoder as it is published. Long and large clips go through it as through a
/// `VaeTokenizer`.
class WanVaeTokenizer : public Tokenizer {
public:
    /// Reads `config.weights`, a file or a folder in diffusers' or the original names. Throws `InputError`
    /// when it holds no whole Wan VAE, or one of other factors or channels than the config tells.
    WanVaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device);

    std::string identity() const override { return m_identity; }
    std::optional<ValueScale> latentScale() const override { return m_scale; }

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override;
    at::Tensor decodePlanes(const at::Tensor& latents) const override;
    at::Tensor decodePlanesPiece(const at::Tensor& latents, StreamState& memory, bool last) const override;

private:
    wan_vae::WanVae m_vae;
    Params m_weights;
    std::optional<ValueScale> m_scale;
    std::string m_identity;
};

}  // namespace dailies::trainer
