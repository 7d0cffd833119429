#pragma once

#include "trainer/tokenizers/causal_vae/causal_vae.h"
#include "trainer/tokenizers/tokenizer.h"

namespace dailies::trainer {

/// A causal VAE that `train-vae` trained. Long clips go through it a few frames at a time and large ones tile
/// by tile, in memory that grows with neither, and come out as if they had gone through whole (tiles.h).
class VaeTokenizer : public Tokenizer {
public:
    /// Reads the averaged weights of the checkpoint `config.checkpoint`, or the weights where it has none.
    /// Throws `InputError` when it is no VAE's, or of other factors or channels than the config tells.
    VaeTokenizer(const config::TrainConfig::Tokenizer& config, at::Device device);
    /// Of weights in memory.
    VaeTokenizer(const config::TrainConfig::Tokenizer& config, vae::Shape shape, Params weights);

    std::string identity() const override { return m_identity; }

protected:
    at::Tensor encodePlanes(const at::Tensor& clips) const override;
    at::Tensor decodePlanes(const at::Tensor& latents) const override;
    at::Tensor decodePlanesPiece(const at::Tensor& latents, StreamState& memory, bool last) const override;

private:
    vae::CausalVae m_vae;
    Params m_weights;
    std::string m_identity;
};

}  // namespace dailies::trainer
