#pragma once

#include "trainer/rehearsal/recorded_calls.h"

#include <cstdint>
#include <vector>

namespace dailies::trainer {

/// What all ranks of a run send in a step, in bytes. Nodes take ranks in order, as Slurm places them.
struct LinkBytes {
    std::int64_t nodes = 1;
    double withinNodes = 0;
    double betweenNodes = 0;
    double maxNodeEgress = 0;  ///< leaves the node that sends most to others
};

/// A sum, a gather and a reduce-scatter are taken to go round their group in its order, each rank sending to
/// the next what `Traffic` counts; an exchange gives each member its part directly, and so does a send.
LinkBytes linksOf(const std::vector<const RecordedRank*>& ranks, std::int64_t ranksPerNode);

}  // namespace dailies::trainer
