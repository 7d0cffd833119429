#pragma once

#include <ATen/core/Tensor.h>

namespace dailies::trainer {

/// Direct preference optimisation of a diffusion model (Wallace et al. 2023, arXiv 2311.12908, equation 14):
/// -log σ(-½ β ((e₊ - r₊) - (e₋ - r₋))), where e are the errors of the model and r those of the model that it
/// began as, + of the clip that was preferred and - of the other, both with the same noise. It is ln 2 where
/// the model is what it began as, and less where it prefers as people did.
///
/// `errors`, `reference`: [2 · pairs], in each pair the preferred clip first. Gives each clip the loss of its
/// pair, so that the mean over clips is that over pairs.
at::Tensor preferenceLoss(const at::Tensor& errors, const at::Tensor& reference, double beta);

/// How many clips, by these losses, are of pairs that the model orders as people did, 0-dim.
at::Tensor clipsOrderedAsPreferred(const at::Tensor& losses);

}  // namespace dailies::trainer
