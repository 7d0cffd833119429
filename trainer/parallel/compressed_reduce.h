#pragma once

#include "trainer/parallel/process_group.h"

namespace dailies::trainer {

/// A sum over ranks of parts that are rounded to a narrower type on their way and added up in float32: each
/// rank gets its piece of all parts (all-to-all), adds them, and, where all are to have the whole sum, hands
/// its piece round, rounded once more. A collective that sums in the narrow type rounds after each addition.
/// What is sent is that of one all-reduce, or reduce-scatter.
class CompressedReduce {
public:
    /// Begins it. `part` is dense; its pieces, counted by ranks, are equal but for the last.
    CompressedReduce(ProcessGroup& ranks, const at::Tensor& part, at::ScalarType type);

    // One of these, once.
    at::Tensor reducedShard();  ///< of the sum, float32
    void allGatherInto(const at::Tensor& whole);

private:
    ProcessGroup& m_ranks;
    at::Tensor m_sent, m_taken;
    WorkHandle m_exchange;
};

}  // namespace dailies::trainer
