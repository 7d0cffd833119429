#pragma once

#include "core/preflight/report.h"

#include <optional>
#include <string>

namespace dailies::planner {

/// What a rank and its links reach, not what their makers state: the parameters of `estimateSpeed`.
/// Operations and bytes a second.
struct MachineRates {
    std::string name = {};  ///< "h100", "cpu"
    bool gpu = true;
    std::optional<double> peak = {};  ///< stated for the products' type: the denominator of MFU

    double products = 0;           ///< of large matrices
    double attentionForward = 0;   ///< of attention over long rows of keys, and its backward pass with the
    double attentionBackward = 0;  ///< five products that it takes
    double halfRateKeys = 0;       ///< rows so short reach half of `attentionForward`
    double halfRateKeysBackward = 0;
    double memoryBytes = 0;  ///< of the rank's memory, for what is done element by element

    double intraNodeBandwidth = 0;  ///< of a rank, one way, to others of its node
    double interNodeBandwidth = 0;  ///< of a rank, one way, to other nodes, while all ranks of its node send
    double intraNodeLatency = 0, interNodeLatency = 0;  ///< seconds
    double launchSeconds = 0;  ///< that a kernel takes at least, because a CPU starts it

    std::string source = {};  ///< where the figures come from, for a person

    /// With everything that a rank computes this many times as fast: what one measured step calibrates.
    MachineRates faster(double times) const;
};

/// For a GPU of that name, which may be part of Slurm's type ("nvidia_h100_80gb"); nullopt where this table
/// lacks it. Published rates of single kernels, slowed to what a whole training step reached on H100.
std::optional<MachineRates> publishedRates(const std::string& gpuName, bool bfloat16);

/// What a preflight measured in the place of what is published: matrix products (attention slows or
/// quickens with them), links between nodes and their latency. Of CPU ranks, of which nothing is published,
/// `published` is empty. nullopt where products were not measured on such ranks.
std::optional<MachineRates> measuredRates(const std::optional<MachineRates>& published,
                                          const preflight::Report& report);

}  // namespace dailies::planner
