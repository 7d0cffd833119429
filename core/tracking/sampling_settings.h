#pragma once

#include "core/tracking/store.h"

#include <cstdint>
#include <string>

namespace dailies::tracking {

/// What a run's clips of one step are made with, as far as it is recorded: of equal settings come equal
/// clips.
struct SamplingSettings {
    std::int64_t step = 0;  ///< of the checkpoint
    std::string guidance;   ///< numbers in one spelling; empty where the run does not say
    std::string steps;      ///< of the sampler
    std::string sampler;
    std::string frames;
    std::string strength = "1";  ///< of an adapter
    auto operator<=>(const SamplingSettings&) const = default;
};

/// Of a run that trains: as it samples at `step`. Of one that samples a checkpoint again: as it samples that.
SamplingSettings samplingOf(const Run& run, std::int64_t step);

}  // namespace dailies::tracking
