#pragma once

#include "trainer/models/layers/weight_share.h"
#include "trainer/parallel/communicator.h"

namespace dailies::trainer {

/// Tensor parallelism over a group of ranks: before a matrix of which each has some outputs they gather
/// tokens, behind one of which each has some inputs they reduce-scatter; backward does the other of both. Of
/// a tensor of m bytes each takes m·(n - 1)/n, in the tensor's own type.
class TensorParallel : public layers::WeightShare {
public:
    /// `ranks` must outlive this and every backward pass of what it made.
    explicit TensorParallel(Communicator& ranks) : m_ranks(ranks) {}

    std::int64_t ranks() const override { return m_ranks.size(); }
    at::Tensor gathered(const at::Tensor& own, std::int64_t dim) const override;
    at::Tensor summed(const at::Tensor& part, std::int64_t dim) const override;

private:
    Communicator& m_ranks;
};

}  // namespace dailies::trainer
