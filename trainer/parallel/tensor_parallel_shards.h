#pragma once

#include "trainer/models/model_family.h"
#include "trainer/parallel/pipeline_stage.h"
#include "trainer/parallel/process_group.h"
#include "trainer/tensors/tensor_range.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Which slices of a model's weights a rank computes with, where ranks divide them by the model's rules
/// (tensor parallelism), and of which blocks, where stages divide those. A weight that no rule names is whole
/// on every rank of its stage.
class TensorParallelShards {
public:
    /// `ranks` divide the weights of `stage`, null: of the whole model. Both must outlive this. Throws
    /// `InputError` for a model without rules that several ranks should divide.
    TensorParallelShards(const Model& model, ProcessGroup& ranks, const PipelineStage* stage = nullptr);

    /// Whether this rank's stage has it.
    bool has(const std::string& name) const { return m_ranges.contains(name); }
    /// Whether other stages have it, too.
    bool isSharedByStages(const std::string& name) const { return m_stage && m_stage->isOnEveryStage(name); }
    bool divides(const std::string& name) const { return !rangeOf(name).cut.intervals.empty(); }
    /// This rank's of a whole tensor that is sized like the weight; a copy where it is divided.
    at::Tensor own(const std::string& name, const at::Tensor& whole) const;
    Params own(const Params& whole) const;
    /// Whole tensors again, of its stage, on every rank: all must ask.
    Params whole(const Params& own) const;

    /// What a checkpoint knows this rank's slice by; one rank writes what several have.
    const TensorRange& rangeOf(const std::string& name) const { return m_ranges.at(name); }
    /// Buckets (`FlatLayout`) in which weights that are divided stand apart from those that all ranks have,
    /// and those of one stage apart from those of every stage. What most ranks have fills the first: it is
    /// summed last.
    std::vector<std::size_t> bucketsOf(const Params& own) const;

private:
    at::Tensor wholeOf(const std::string& name, const at::Tensor& own) const;

    ProcessGroup& m_ranks;
    const PipelineStage* m_stage;
    TensorRanges m_ranges;
};

/// `own` of a model's weights, for who reads them one by one.
std::function<at::Tensor(const std::string& name, const at::Tensor& whole)> shardReader(const Model& model,
                                                                                        ProcessGroup& ranks);

}  // namespace dailies::trainer
