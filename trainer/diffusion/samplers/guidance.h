#pragma once

#include "trainer/diffusion/samplers/sampler.h"

#include <functional>

namespace dailies::trainer {

/// Classifier-free guidance (Ho & Salimans 2022): away from what the model expects without a caption, at the
/// points whose noise has a share of `from` … `to` (an interval as of Kynkäänniemi et al. 2024; elsewhere the
/// caption alone counts, at half the cost).
struct Guidance {
    double scale = 1;  ///< 1 is none
    double from = 0;
    double to = 1;

    double scaleAt(const PathPoint& point) const;
};

/// At a point of the path; 1 is none.
using GuidanceScale = std::function<double(const PathPoint& point)>;

/// `growth`: what the first frame has of what `scaleAt` gives beyond 1, from which it grows evenly to all of
/// that at the last (StableVideoDiffusionPipeline of diffusers); 1: every frame has all.
/// `captioned` denoises clips, [clips, frames, …], with their captions; `both` is given every clip twice,
/// first all with and then all without captions, so that one evaluation serves both. Guiding the clean clip
/// is guiding velocity or noise: at one z the three differ by fixed factors.
Denoiser guided(GuidanceScale scaleAt, Denoiser captioned, Denoiser both, double growth = 1);

}  // namespace dailies::trainer
