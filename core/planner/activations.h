#pragma once

#include "core/planner/weight_sizes.h"

#include <string>

namespace dailies::planner {

/// Which code computes what stands between the matrix products of a block; each keeps other tensors for the
/// backward pass.
enum class BlockBackend {
    kernels,     ///< trainer/models/layers/cuda: GPUs
    loops,       ///< trainer/models/layers/cpu_kernels: one CPU thread in float32
    operations,  ///< LibTorch's own: CPUs otherwise
};
BlockBackend blockBackend(const config::TrainConfig& config, bool gpu);

/// Whether models of the family know this `model.recompute`.
bool canRecompute(const config::TrainConfig::Model& model, const std::string& recompute);

/// What one forward and backward pass of `clips` clips of a size holds beside the weights, in bytes, read off
/// the layers of trainer/models: which tensors autograd keeps of each operation. With layout.tp of one of the
/// ranks that divide a clip's weights; with layout.pp of the first stage, which holds what passes of several
/// clips keep (`passesInFlight`).
struct Activations {
    double kept = 0;  ///< when the backward pass begins: by all blocks, first and last layer
    double transient =
        0;  ///< on top of that at the worst moment: gradients on their way, what is computed again
    double waiting = 0;  ///< what `model.recompute` offload keeps in the node's memory of a GPU's pass

    double total() const { return kept + transient; }
};
Activations activations(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip,
                        double clips, bool gpu);

/// How many passes through a run of blocks the first stage of layout.pp holds at once, each of `clips` other
/// clips; 1 where there are no stages.
std::int64_t passesInFlight(const config::TrainConfig& config);

/// What a pass without gradients holds: one block's widest moment.
double samplingBytes(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip,
                     double clips);

/// bfloat16 copies of weights that autocast makes for a forward pass and the backward pass still reads.
double castWeightBytes(const config::TrainConfig& config, const std::vector<WeightSize>& weights);

}  // namespace dailies::planner
