#pragma once

#include <ATen/core/Tensor.h>

namespace dailies::trainer::layers {

/// Ranks that divide the weights of layers among themselves: each has some of a matrix's outputs or inputs
/// (tensor parallelism, Shoeybi et al. 2019, arXiv 1909.08053). Between the matrices each has some of the
/// tokens (sequence parallelism, Korthikanti et al. 2022, arXiv 2205.05198), so that a rank's backward pass
/// gives a part of the gradient of every weight that is not divided, too; the sum over the ranks is the
/// gradient. Ranks must make the same calls in the same order.
class TensorParallelComm {
public:
    virtual ~TensorParallelComm() = default;

    virtual std::int64_t ranks() const = 0;
    virtual std::int64_t rank() const = 0;

    /// The ranks' stretches of an axis one behind the other, on every rank. Backward sums the ranks'
    /// gradients and leaves each its own stretch.
    virtual at::Tensor allGather(const at::Tensor& own, std::int64_t dim) const = 0;

    /// Of the sum of the ranks' tensors the own stretch of an axis. Backward gathers the stretches'
    /// gradients.
    virtual at::Tensor reduceScatter(const at::Tensor& part, std::int64_t dim) const = 0;
};

}  // namespace dailies::trainer::layers
