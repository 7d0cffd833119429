#pragma once

#include "trainer/diffusion/chunks.h"
#include "trainer/diffusion/samplers/sampler.h"

#include <cstdint>
#include <vector>

namespace dailies::trainer {

/// The parts of a long clip that a model sees at once, all of them at every step of the sampler. Where they
/// share frames, the clean clip is their mean by weight. Frames are the model's: of pixels or latents.
struct FrameWindows {
    std::int64_t frames = 0;                         ///< of the clip
    std::vector<std::vector<std::int64_t>> windows;  ///< the frames of each, in the order of the model's
    std::vector<double> weights;                     ///< of a window's places

    /// Chunks one after the other; an overlap turns from one to the next as `LinearBlend` does. Progressive
    /// latent fusion (MimicMotion, Zhang et al. 2024, arXiv 2406.19680, algorithm 1), with the clean clip in
    /// the place of the next latents: a step is linear in both, so for samplers of first order the two are
    /// the same.
    static FrameWindows progressive(const Chunks& chunks);

    /// As the open program of AnimateAnyone has them (AnimateDiff's "uniform" schedule with a closed loop):
    /// windows begin every `length - overlap` frames and go on at the clip's beginning where it ends, so that
    /// its end is mixed with its beginning. All frames weigh alike.
    static FrameWindows uniform(std::int64_t frames, std::int64_t length, std::int64_t overlap);

    /// As MimicMotion's program has them, which is not what its paper says: the clip's first frame comes
    /// first in each window, the others follow one another, the last one ends with the clip; weights are a
    /// triangle over the window.
    static FrameWindows triangle(std::int64_t frames, std::int64_t length, std::int64_t overlap);
};

/// A denoiser of the whole clip from one of each window.
Denoiser fusedDenoiser(const FrameWindows& windows, std::vector<Denoiser> ofWindows);

}  // namespace dailies::trainer
