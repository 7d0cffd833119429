#pragma once

#include "trainer/tokenizers/causal_vae/vae_halves.h"

/// A VAE without gradients, in memory that grows neither with a clip's length nor with its sides, but for the
/// clip itself and its features at the lowest resolution. The fine halves see one tile of the frame after the
/// other, a few frames at a time, each with as much of the frame around it as they reach; only the tile
/// itself is kept of what they make of it. So there is nothing to blend where tiles meet: the result is that
/// of the whole frame, up to the order in which convolutions of other sizes add up (1e-5 of its size). Frames
/// of one tile come out bit for bit as from the VAE itself.
namespace dailies::trainer::vae {

inline constexpr std::int64_t kTileSide = 256;  ///< pixels

/// Means of the latents [n, channels, frames, height, width] of clips [n, 3, frames, height, width]. Tiles
/// are at most `tileSide` × `tileSide` pixels, which must be a multiple of the space factor.
at::Tensor encodeInTiles(const VaeHalves& vae, const Params& weights, const at::Tensor& clips,
                         std::int64_t tileSide = kTileSide);
at::Tensor decodeInTiles(const VaeHalves& vae, const Params& weights, const at::Tensor& latents,
                         std::int64_t tileSide = kTileSide);

/// Clips of latents that come in pieces, in order, with one `memory`: a few frames at a time, but the whole
/// of each, for tiles would need memories of their own.
at::Tensor decodePiece(const VaeHalves& vae, const Params& weights, const at::Tensor& latents,
                       StreamState& memory);

}  // namespace dailies::trainer::vae
