#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace dailies::trainer {

/// Of each row of `features` [N, D], float32, the highest cosine similarity to a row above it; NaN for the
/// first. Where the rows stand in order of preference, dropping those above a threshold leaves of what is
/// alike the best (SemDeDup, Abbas et al. 2023, without clusters). D·N² operations, memory of 1,024 rows.
std::vector<double> nearestAbove(const at::Tensor& features);

}  // namespace dailies::trainer
