#pragma once

#include "trainer/watchdog/heartbeat.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// The ranks before and behind this one, where they run on its node: there the system knows at once that a
/// process is gone. A collective may not: NCCL's kernels wait on, and so does the forming of a group, which
/// asks a store for the other's address. One thread at a time may ask.
class NodeNeighbours {
public:
    using BeatOf = std::function<std::optional<Heartbeat>(std::int64_t rank)>;

    NodeNeighbours(std::int64_t rank, std::int64_t size, std::string node);

    /// Whether one of them no longer runs that was seen to. Reads a neighbour's heartbeat until it has been.
    bool anyGone(const BeatOf& beatOf);
    /// Those that are gone ended by themselves.
    void forgetGone();

private:
    struct Neighbour {
        std::int64_t rank = 0;
        std::int64_t pid = 0;  ///< 0: not seen to run yet
        bool forgotten = false;
    };
    const std::string m_node;
    std::vector<Neighbour> m_neighbours;
};

}  // namespace dailies::trainer
