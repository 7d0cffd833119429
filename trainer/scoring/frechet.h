#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dailies::trainer {

/// Features of many clips as a Gaussian.
struct FeatureStatistics {
    at::Tensor mean;        ///< [D], float64
    at::Tensor covariance;  ///< [D, D], float64, divided by N - 1
    std::int64_t count = 0;
};

/// Of features [N, D]. Throws `Error` for fewer than two rows.
FeatureStatistics statisticsOf(const at::Tensor& features);

/// The squared Fréchet distance of two Gaussians,
///
///     |m₁ - m₂|² + tr(C₁ + C₂ - 2 (C₁ C₂)^½)
///
/// (Dowson and Landau, Journal of Multivariate Analysis 12, 1982; Heusel et al., NeurIPS 2017, eq. 6: FID;
/// with features of a video network FVD, Unterthiner et al. 2018). Biased upwards for few clips: compare
/// numbers of equal counts only. Throws `Error` for features of different widths.
double frechetDistance(const FeatureStatistics& a, const FeatureStatistics& b);

}  // namespace dailies::trainer
