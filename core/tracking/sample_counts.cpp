#include "core/tracking/sample_counts.h"

#include <cstdio>

namespace dailies::tracking {

SampleCounts sampleCountsOf(const Run& run) {
    SampleCounts counts;
    const auto text = tagOf(run, tag::kSamples);
    if (std::sscanf(text.c_str(), "%d sampled, %d failed, %d waiting", &counts.sampled, &counts.failed,
                    &counts.waiting) != 3)
        return {};
    return counts;
}

std::string toTag(const SampleCounts& counts) {
    return std::to_string(counts.sampled) + " sampled, " + std::to_string(counts.failed) + " failed, " +
           std::to_string(counts.waiting) + " waiting";
}

}  // namespace dailies::tracking
