#pragma once

#include "trainer/tokenizers/causal_vae/causal_layers.h"

#include <cstdint>

namespace dailies::trainer::vae {

/// A causal VAE as a function of its weights, each way in two halves that meet at the lowest resolution.
/// Nearly all work and memory are in the fine halves, which are convolutions alone: a place of their output
/// depends on places near it. The coarse halves mix all places of a frame. Clips may come in pieces of any
/// number of frames with one `StreamState`; outputs that need frames still to come follow with those, and a
/// piece that completes none gives undefined tensors.
class VaeHalves {
public:
    virtual ~VaeHalves() = default;

    /// [n, 3, frames, height, width] → features of the lowest resolution.
    virtual at::Tensor encodeFine(const Params& weights, const at::Tensor& clips,
                                  StreamState& memory) const = 0;
    /// Those → means of the latents, [n, channels, frames, height, width].
    virtual at::Tensor encodeMean(const Params& weights, const at::Tensor& features,
                                  StreamState& memory) const = 0;
    virtual at::Tensor decodeCoarse(const Params& weights, const at::Tensor& latents,
                                    StreamState& memory) const = 0;
    virtual at::Tensor decodeFine(const Params& weights, const at::Tensor& features,
                                  StreamState& memory) const = 0;

    /// Pixels of a latent's side.
    virtual std::int64_t spaceFactor() const = 0;
    /// How far the fine halves see, in places of the lowest resolution, rounded up: with so many around a
    /// tile they compute of it what they compute of it in the whole.
    virtual std::int64_t encoderReach() const = 0;
    virtual std::int64_t decoderReach() const = 0;
};

}  // namespace dailies::trainer::vae
