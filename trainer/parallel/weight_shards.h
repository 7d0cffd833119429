#pragma once

#include "trainer/checkpoint/tensor_range.h"
#include "trainer/parallel/communicator.h"
#include "trainer/parallel/flat_layout.h"

namespace dailies::trainer {

/// A run's weights as one rank holds them: all of them, to compute with, and those that it alone updates,
/// averages and saves. Where ranks divide nothing these are the same.
class WeightShards {
public:
    /// Takes over the weights, float32 on the device. `ranks` divide them; they must outlive this.
    WeightShards(const Params& weights, Communicator& ranks);

    const Params& all() const { return m_all; }
    /// This rank's pieces, which share memory with `all`: flat, each of one weight, by the weights' names.
    const Params& own() const { return m_own; }
    /// Which pieces these are; empty where nothing is divided.
    const TensorRanges& ranges() const { return m_ranges; }
    const FlatLayout& layout() const { return m_layout; }

    /// After each rank has changed its own: all of them, on every rank.
    void gather();
    /// The whole of tensors that are divided like the weights (an average), on every rank.
    Params gathered(const Params& own) const;

private:
    bool divided() const { return m_ranks.size() > 1; }
    at::Tensor pieceIn(const at::Tensor& bucket, std::size_t index) const;

    Communicator& m_ranks;
    FlatLayout m_layout;
    std::vector<at::Tensor> m_buckets;  ///< what `all` looks into; empty where nothing is divided
    Params m_all, m_own;
    TensorRanges m_ranges;
};

}  // namespace dailies::trainer
