#pragma once

#include "remote/cluster/profile.h"
#include "remote/launch/assessed_launch.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dailies::remote {

/// One sweep of a chain in words, for tables. What is not known is empty.
struct ChainRow {
    std::string name;
    std::string steps;   ///< "1,000 → 1,600": where its runs begin and end
    std::string clips;   ///< "17 × 256 × 256": frames, height, width
    std::string batch;   ///< clips of a step, over all ranks
    std::string layout;  ///< "2 nodes × 8 GPUs"
    std::string time;    ///< "3h 20m"
    std::string hours;   ///< of GPUs, or where it has none of CPUs
    std::string price;   ///< "about 41 USD"
    std::string end;     ///< "Sun 17:40", if the first begins now and nothing waits in the queue

    std::vector<std::string> cells() const;  ///< in the order of `kChainTitles`
};

inline constexpr const char* kChainTitles[] = {"Stage", "Steps", "Clips", "Batch", "Layout",
                                               "Time",  "Hours", "Price", "Ends"};

/// One row for each. Of what is swept over it says what the first run has. `now`: unix seconds.
std::vector<ChainRow> chainRows(std::span<const AssessedLaunch> chain, const ClusterProfile& profile,
                                std::int64_t now);

}  // namespace dailies::remote
