#pragma once

#include "trainer/tokenizers/causal_vae/causal_layers.h"

// What Wan's video autoencoders have beside the layers of causal_vae: Wan-Video, wan/modules/vae.py and
// vae2_2.py; WanResample, AvgDown3D and DupUp3D of diffusers' autoencoder_kl_wan.py. There the first frame of
// a clip goes through them by itself and later ones four by four; here pieces may be of any number of frames,
// and what comes of them is what comes of the whole. [n, channels, frames, height, width] throughout; an
// undefined tensor stands for a piece of no frames.

namespace dailies::trainer::wan_vae {

using vae::StreamState;

/// Halves the sides by `name`.resample.1, and with `frames` also the frames, by `name`.time_conv: the first
/// frame passes as it is, and each later one is made of two, and of the one before them.
at::Tensor downsample(const Params& weights, const std::string& name, const at::Tensor& x, bool frames,
                      StreamState& memory);

/// Doubles the sides, and with `frames` makes two of each frame but the first, which `name`.time_conv never
/// sees: the second looks back on black.
at::Tensor upsample(const Params& weights, const std::string& name, const at::Tensor& x, bool frames,
                    StreamState& memory);

/// How a shortcut of 2.2 changes sizes beside the blocks of a level.
struct Shortcut {
    std::int64_t outputs = 0;  ///< channels
    bool frames = false;       ///< two frames for one, but for the first of a clip
    bool sides = false;        ///< two pixels for one on each side
    std::string name = {};     ///< of what it remembers
};

/// Smaller: neighbours in time and place become channels, and groups of those their means.
at::Tensor averaged(const at::Tensor& x, const Shortcut& shortcut, StreamState& memory);
/// Larger: channels are repeated, and stand for neighbours in time and place.
at::Tensor repeated(const at::Tensor& x, const Shortcut& shortcut, StreamState& memory);

/// Squares of 2 × 2 pixels as channels, in the order colour, column, row; and back.
at::Tensor folded(const at::Tensor& pixels);
at::Tensor unfolded(const at::Tensor& channels);

}  // namespace dailies::trainer::wan_vae
