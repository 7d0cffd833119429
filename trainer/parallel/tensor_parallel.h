#pragma once

#include "trainer/models/layers/tensor_parallel_comm.h"
#include "trainer/parallel/process_group.h"

namespace dailies::trainer {

/// Tensor parallelism over a group of ranks: before a matrix of which each has some outputs they gather
/// tokens, behind one of which each has some inputs they reduce-scatter; backward does the other of both. Of
/// a tensor of m bytes each takes m·(n - 1)/n, in the tensor's own type.
class TensorParallel : public layers::TensorParallelComm {
public:
    /// `ranks` must outlive this and every backward pass of what it made.
    explicit TensorParallel(ProcessGroup& ranks) : m_ranks(ranks) {}

    std::int64_t ranks() const override { return m_ranks.size(); }
    std::int64_t rank() const override { return m_ranks.rank(); }
    at::Tensor allGather(const at::Tensor& own, std::int64_t dim) const override;
    at::Tensor reduceScatter(const at::Tensor& part, std::int64_t dim) const override;

private:
    ProcessGroup& m_ranks;
};

}  // namespace dailies::trainer
