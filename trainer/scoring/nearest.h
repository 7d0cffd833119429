#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dailies::trainer {

/// The row above one that it is most like.
struct Nearest {
    std::int64_t row = -1;  ///< none of the first
    double similarity = 0;  ///< cosine
};

/// Of each row of `features` [N, D], float32, the one that it is most like of those above it. Where the rows
/// stand in order of preference, dropping those above a threshold leaves of what is alike the best (SemDeDup,
/// Abbas et al. 2023, without clusters). D·N² operations, memory of 1,024 rows.
std::vector<Nearest> nearestAbove(const at::Tensor& features);

}  // namespace dailies::trainer
