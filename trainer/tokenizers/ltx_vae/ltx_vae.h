#pragma once

#include "trainer/pretrained/families/ltx_vae.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::ltx_vae {

/// LTX-Video's autoencoder as a function of its weights, by diffusers' names (AutoencoderKLLTXVideo;
/// Lightricks/LTX-Video, causal_video_autoencoder.py). It encodes causally and decodes looking both ways, so
/// a clip comes back whole.
class LtxVae {
public:
    explicit LtxVae(pretrained::LtxVaeSizes sizes) : m_sizes(std::move(sizes)) {}

    const pretrained::LtxVaeSizes& sizes() const { return m_sizes; }

    /// [n, 3, frames, height, width] of -1 … 1 → means of the latents, [n, latents, frames, rows, columns],
    /// not yet scaled.
    at::Tensor encodeMean(const Params& weights, const at::Tensor& clips) const;
    /// And back; values may exceed -1 … 1. `noise`: how much of the latents is noise, which decoders from
    /// 0.9.1 on are told and take away; others do not read it. What a decoder of 0.9.1 adds of its own
    /// follows from the sizes alone.
    at::Tensor decode(const Params& weights, const at::Tensor& latents, double noise) const;

private:
    pretrained::LtxVaeSizes m_sizes;
};

}  // namespace dailies::trainer::ltx_vae
