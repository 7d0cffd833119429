#pragma once

#include "trainer/pretrained/families/wan_vae.h"
#include "trainer/tokenizers/causal_vae/vae_halves.h"

namespace dailies::trainer::wan_vae {

/// Wan's video autoencoder, of 2.1 (Wan-Video, wan/modules/vae.py) or of 2.2 (vae2_2.py): latents of 4 frames
/// and of 8 or 16 pixels a side. Its latents are the means as the encoder gives them; models learn them by
/// `pretrained::wanVaeLatentScale`. Decoded values are clamped to -1 … 1.
class WanVae : public vae::VaeHalves {
public:
    static constexpr std::int64_t kFramesFactor = 4;

    explicit WanVae(const pretrained::WanVaeSizes& sizes) : m_sizes(sizes) {}

    const pretrained::WanVaeSizes& sizes() const { return m_sizes; }

    at::Tensor encodeFine(const Params& weights, const at::Tensor& clips,
                          vae::StreamState& memory) const override;
    at::Tensor encodeMean(const Params& weights, const at::Tensor& features,
                          vae::StreamState& memory) const override;
    at::Tensor decodeCoarse(const Params& weights, const at::Tensor& latents,
                            vae::StreamState& memory) const override;
    at::Tensor decodeFine(const Params& weights, const at::Tensor& features,
                          vae::StreamState& memory) const override;

    std::int64_t spaceFactor() const override { return m_sizes.residual ? 16 : 8; }
    std::int64_t encoderReach() const override;
    std::int64_t decoderReach() const override;

private:
    at::Tensor encoderLevel(const Params& weights, std::size_t level, const at::Tensor& x,
                            vae::StreamState& memory) const;
    at::Tensor decoderBlocks(const Params& weights, std::size_t level, const at::Tensor& x,
                             vae::StreamState& memory) const;

    pretrained::WanVaeSizes m_sizes;
};

/// Adds a published weight, by its name in diffusers, under the name and in the shape that `WanVae` and the
/// layers of causal_vae read: gains as [channels], convolutions of frames as [out, in, 1, height, width].
void addPublished(Params& weights, const std::string& name, const at::Tensor& value);

}  // namespace dailies::trainer::wan_vae
