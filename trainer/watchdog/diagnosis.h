#pragma once

#include "trainer/watchdog/heartbeat.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// What two looks at the heartbeats of all ranks tell, some beats apart; nullopt: there was none.
struct HeartbeatPair {
    std::optional<Heartbeat> before, after;
};

/// Which ranks were stopped or killed, or lost their node, and what the others do; nullopt: none. Pure.
std::optional<std::string> findStoppedRanks(const std::vector<HeartbeatPair>& ranks);

/// Which ranks the second look did not find: they ended by themselves. "rank 1, rank 2"; empty: none. Pure.
std::string findExitedRanks(const std::vector<HeartbeatPair>& ranks);

/// Why the run hangs, naming ranks, nodes and the collective, when a rank has been in an activity for longer
/// than its limit; nullopt when the one that all others wait for is busy and within its own. Pure.
///
/// Clocks are not compared: a rank has stopped when its beats no longer grow. Nor are numbers of collectives
/// but of ranks that make the same calls: of each run of `alike` neighbours (a pipeline's stage).
std::optional<std::string> diagnose(const std::vector<HeartbeatPair>& ranks, std::size_t alike);

}  // namespace dailies::trainer
