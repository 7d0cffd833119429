#pragma once

#include "trainer/rehearsal/recorded_calls.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Whether ranks that ask for these collectives all come to their end.
struct CollectiveMatch {
    std::int64_t collectives = 0;  ///< that all members of their groups met in
    std::string mismatch;          ///< the first, naming ranks, positions and what they ask for; empty: none

    bool agrees() const { return mismatch.empty(); }
};

/// Plays the ranks' calls against each other. A group's collectives are made one after the other: the k-th of
/// each member is one and the same, and over when all members have begun it. Beginning never waits, waiting
/// does, a send until its receive has begun, too; the making of a group waits for all its members. So this
/// finds calls that differ in kind, type or size, calls that some member never makes, and ranks that wait for
/// each other in a circle.
CollectiveMatch matchCollectives(const std::vector<const RecordedRank*>& ranks);

}  // namespace dailies::trainer
