#pragma once

#include "core/planner/layouts.h"
#include "core/planner/machine_rates.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::planner {

/// Part of a step's seconds, for a person: "matrix products".
struct TimePart {
    std::string name;
    double seconds = 0;
};

/// What one step takes, on average over the buckets. Sampling, validation, checkpoints, waiting for data
/// and what `optimizer.offload` sends over the bus are not part of it.
///
/// Every part follows from operations or bytes over a rate of `MachineRates`:
/// - matrix products, three times the forward pass's, what is computed again added;
/// - attention, whose backward pass takes 5 products where the forward pass takes 2, by kernels that reach
///   keys / (keys + half-rate keys) of their rate over so many keys;
/// - what is done element by element between them, by the bytes that it reads and writes: 144·width for a
///   token of a block in bfloat16 where kernels are fused, 3.2 times as many by LibTorch's operations; what a
///   ring's turns take to be merged; and casts and gradients of weights, 10 bytes each a micro-batch;
/// - communication, as trainer/README.md counts it, less what goes on while a rank computes: gathers and sums
///   of tensor and Ulysses parallelism are waited for, turns of a ring hide behind attention to the block
///   that came before, sums of gradients behind backward passes, gathers of zero3 behind its products;
/// - the bubble of a pipeline, (p − 1) / (m · v + p − 1) of the time of its m micro-batches, p stages and v
///   chunks of each;
/// - the optimizer, by the bytes of its states.
struct StepSpeed {
    double products = 0, attention = 0, elementWise = 0;
    double launches = 0;  ///< by which starting kernels takes longer than computing
    double tensorParallel = 0, contextParallel = 0, gradientSums = 0, weightGathers = 0, stageSends = 0;
    double bubble = 0;
    double optimizer = 0;

    double tokens = 0;         ///< of a step, over all ranks
    double operations = 0;     ///< that the model needs for them, nothing computed twice
    double standardFlops = 0;  ///< as published figures count them, see `ClipFlops::standard`
    std::int64_t ranks = 1;
    std::optional<double> peak = {};  ///< of a rank, see `MachineRates`

    double seconds() const;
    double exposedCommunication() const;  ///< seconds of the above
    double tokensPerSecond() const { return tokens / seconds(); }
    double flopsPerRank() const;  ///< a second
    std::optional<double> mfu() const;
    std::vector<TimePart> parts() const;  ///< what takes any time, longest first
};

/// Of this layout, which must divide the configuration (`layoutsOf`, `layoutFromConfig`).
StepSpeed estimateSpeed(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                        const Machines& machines, const MachineRates& rates);

/// The rates with which `estimateSpeed` gives the tokens a second that a run of this layout was measured at:
/// what ranks compute is slowed or quickened, links stay. Within a factor of 20 either way.
MachineRates calibratedRates(const config::TrainConfig& config, const DataShape& data, const Layout& layout,
                             const Machines& machines, const MachineRates& rates, double tokensPerSecond);

}  // namespace dailies::planner
