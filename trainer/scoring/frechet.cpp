#include "trainer/scoring/frechet.h"

#include "core/base/error.h"

#include <torch/types.h>

#include <string>

namespace dailies::trainer {

namespace {

/// Of a symmetric matrix without negative eigenvalues; those that rounding made are taken for 0.
at::Tensor squareRoot(const at::Tensor& matrix) {
    const auto [values, vectors] = at::linalg_eigh(matrix);
    return at::matmul(vectors * values.clamp_min(0).sqrt(), vectors.t());
}

}  // namespace

FeatureStatistics statisticsOf(const at::Tensor& features) {
    const auto count = features.size(0);
    if (count < 2)
        throw Error("A distance of features needs at least two of them on each side; found " +
                    std::to_string(count) + ".");
    const auto values = features.to(at::kDouble);
    FeatureStatistics statistics{values.mean(0), {}, count};
    const auto centred = values - statistics.mean;
    statistics.covariance = at::matmul(centred.t(), centred) / static_cast<double>(count - 1);
    return statistics;
}

double frechetDistance(const FeatureStatistics& a, const FeatureStatistics& b) {
    if (a.mean.size(0) != b.mean.size(0))
        throw Error("The features have " + std::to_string(a.mean.size(0)) + " and " +
                    std::to_string(b.mean.size(0)) + " numbers; they cannot be compared.");
    // tr (C₁ C₂)^½ = tr (C₁^½ C₂ C₁^½)^½, whose argument is symmetric
    const auto root = squareRoot(a.covariance);
    const auto inner = at::matmul(at::matmul(root, b.covariance), root);
    const auto shared = at::linalg_eigvalsh((inner + inner.t()) / 2).clamp_min(0).sqrt().sum();
    const auto distance =
        (a.mean - b.mean).square().sum() + a.covariance.trace() + b.covariance.trace() - 2 * shared;
    return distance.clamp_min(0).item<double>();
}

}  // namespace dailies::trainer
