#pragma once

#include "core/tracking/run_tags.h"

#include <string>

namespace dailies::tracking {

namespace tag {
inline constexpr const char* kSamples = "dailies.samples";  ///< see `SampleCounts`
}

/// What became of the jobs that sample a run's checkpoints.
struct SampleCounts {
    int sampled = 0, failed = 0;
    int waiting = 0;  ///< in the queue, or at work

    bool operator==(const SampleCounts&) const = default;
};

/// As the tag has it; zeros where there is none.
SampleCounts sampleCountsOf(const Run& run);
std::string toTag(const SampleCounts& counts);

}  // namespace dailies::tracking
