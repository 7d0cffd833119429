#pragma once

#include "core/planner/weight_sizes.h"

#include <string>
#include <vector>

namespace dailies::planner {

/// How a run is spread over processes.
struct Spread {
    std::int64_t ranks = 1;
    bool gpu = false;  ///< each rank has a GPU; else it computes on CPU threads
};

/// A part of a memory, for a person: "activations".
struct MemoryPart {
    std::string name;
    double bytes = 0;
};

/// The most memory that one rank (the leading one, which also samples and saves) holds at any moment of a
/// run.
///
/// States follow from the code exactly: weights, gradients and moments in float32, 8-bit moments with a scale
/// for every 256, bfloat16 copies, the average, and on the host the copy from which checkpoints are written.
/// Activations follow from what autograd keeps of each layer. Against the peak that runs on CPUs measure
/// (tests/trainer/runs/memory_plan_run_test.cpp) the sum is within `kMemoryError`; on GPUs it has not been
/// measured. Of encoders that are not trained the published T5 is counted, and no TorchScript module.
struct RankMemory {
    std::vector<MemoryPart> gpu;   ///< of the rank's GPU; empty on CPUs
    std::vector<MemoryPart> host;  ///< of its node

    double gpuBytes() const;
    double hostBytes() const;
};

/// What one process of `dailies-train sample` makes of a checkpoint.
struct SamplingLoad {
    std::int64_t clips = 1;        ///< in all; it makes some of them at once
    double guidance = 1;           ///< other than 1 every clip goes through the model twice
    std::int64_t frames = 0;       ///< of each clip; 0, or no more than the model learned: its own
    bool joinsAtEachStep = false;  ///< of longer clips, which are then held whole
};

/// The most memory that a process which samples holds at any moment: weights without gradients, one block's
/// widest moment of a forward pass, the latents, the decoder, and the clips that it makes. `hostBytes` of a
/// GPU's process counts the weights, too: they are read there first. As uncertain as `rankMemory`.
RankMemory samplingMemory(const config::TrainConfig& config, const DataShape& data, const SamplingLoad& load,
                          bool gpu);

/// By how much of itself a prediction may be wrong.
inline constexpr double kMemoryError = 0.15;

/// Throws `InputError` for buckets that are none, and for a layout that does not divide the ranks.
RankMemory rankMemory(const config::TrainConfig& config, const DataShape& data, const Spread& spread);

/// Of all ranks together: weights, moments and average, as they are written.
double checkpointBytes(const config::TrainConfig& config, const DataShape& data);

/// "activations 61.0 GiB, moments 14.5 GiB, …", largest first; parts below a fiftieth of the whole are left
/// out.
std::string partsText(const std::vector<MemoryPart>& parts);

}  // namespace dailies::planner
