#pragma once

#include "trainer/tokenizers/sd_vae/sd_vae.h"
#include "trainer/tokenizers/tokenizer.h"

namespace dailies::trainer {

/// The autoencoder of Stable Diffusion as it is published, picture by picture: as many latent frames as
/// frames. That of Stable Video Diffusion decodes neighbouring frames together.
class SdVaeTokenizer : public Tokenizer {
public:
    /// Reads `config.weights`, a file or a folder in diffusers' or the original names. Throws `InputError`
    /// when it holds no whole such VAE, or one of other factors or channels than the config tells.
    SdVaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device);

    std::string identity() const override { return m_identity; }
    std::optional<ValueScale> latentScale() const override { return m_scale; }

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override;
    at::Tensor decodePlanes(const at::Tensor& latents) const override;
    at::Tensor decodePlanesPiece(const at::Tensor& latents, StreamState& memory, bool last) const override;

private:
    at::Tensor decodeOverTime(const at::Tensor& latents) const;

    sd_vae::SdVae m_vae;
    Params m_weights;
    std::optional<ValueScale> m_scale;
    std::string m_identity;
};

}  // namespace dailies::trainer
