#pragma once

#include "core/quality/luma.h"
#include "core/quality/picture_view.h"

namespace dailies::quality {

/// How much a picture is like a reference. Both are of one size, else `Error`. Any thread.

/// Peak signal-to-noise ratio in dB, 10 log₁₀(255² / MSE) with the mean over all pixels and the three
/// channels R'G'B' (as scikit-image's of a colour picture). Infinity for equal pictures.
double psnr(const PictureView& reference, const PictureView& picture);

/// The mean structural similarity of luma, 1 for equal pictures: Wang, Bovik, Sheikh, Simoncelli, "Image
/// Quality Assessment: From Error Visibility to Structural Similarity" (2004), equations 13–17. Their window
/// (Gaussian, 11 × 11, σ = 1.5), their constants (K₁ = 0.01, K₂ = 0.03, L = 255), and only windows that lie
/// within the picture. Single precision: within 10⁻⁴ of scikit-image's in double
/// (tests/interop/similarity_as_scikit_image.py). NaN for pictures smaller than the window.
double ssim(const Luma& reference, const Luma& picture);

}  // namespace dailies::quality
