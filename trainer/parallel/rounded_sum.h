#pragma once

#include "trainer/parallel/communicator.h"

namespace dailies::trainer {

/// A sum over ranks of parts that are rounded to a narrower type on their way and added up in float32: each
/// rank gets its piece of all parts (all-to-all), adds them, and, where all are to have the whole sum, hands
/// its piece round, rounded once more. A collective that sums in the narrow type rounds after each addition.
/// What is sent is that of one all-reduce, or reduce-scatter.
class RoundedSum {
public:
    /// Begins it. `part` is dense; its pieces, counted by ranks, are equal but for the last.
    RoundedSum(Communicator& ranks, const at::Tensor& part, at::ScalarType type);

    // One of these, once.
    at::Tensor ownPiece();  ///< of the sum, float32
    void finishInto(const at::Tensor& whole);

private:
    Communicator& m_ranks;
    at::Tensor m_sent, m_taken;
    Pending m_exchange;
};

}  // namespace dailies::trainer
