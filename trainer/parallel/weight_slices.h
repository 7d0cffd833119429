#pragma once

#include "trainer/checkpoint/tensor_range.h"
#include "trainer/models/model_family.h"
#include "trainer/parallel/communicator.h"

#include <optional>
#include <vector>

namespace dailies::trainer {

/// Which slices of a model's weights a rank computes with, where ranks divide them by the model's rules
/// (tensor parallelism). A weight that no rule names is whole on every rank.
class WeightSlices {
public:
    /// `ranks` divide the weights and must outlive this. Throws `InputError` for a model without rules.
    WeightSlices(const Model& model, Communicator& ranks);

    bool divides(const std::string& name) const { return !rangeOf(name).cut.stretches.empty(); }
    /// This rank's of a whole tensor that is sized like the weight; a copy where it is divided.
    at::Tensor own(const std::string& name, const at::Tensor& whole) const;
    Params own(const Params& whole) const;
    /// Whole tensors again, on every rank: all must ask.
    Params whole(const Params& own) const;

    /// What a checkpoint knows this rank's slice by; one rank writes what all have.
    const TensorRange& rangeOf(const std::string& name) const { return m_ranges.at(name); }
    /// Buckets (`FlatLayout`) in which weights that are divided stand apart from those that all ranks have,
    /// which fill the first: they are summed last.
    std::vector<std::size_t> bucketsOf(const Params& own) const;

private:
    at::Tensor wholeOf(const std::string& name, const at::Tensor& own) const;

    Communicator& m_ranks;
    TensorRanges m_ranges;
};

}  // namespace dailies::trainer
