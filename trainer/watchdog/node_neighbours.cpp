#include "trainer/watchdog/node_neighbours.h"

#include <fstream>
#include <utility>

namespace dailies::trainer {

namespace {

/// A process that ended runs no longer, even where nobody has asked how it did ("Z", a zombie). That is told
/// behind its name, which may hold anything.
bool runsHere(std::int64_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return false;
    const auto name = line.rfind(") ");
    if (name == std::string::npos || name + 2 >= line.size()) return false;
    const char state = line[name + 2];
    return state != 'Z' && state != 'X';
}

}  // namespace

NodeNeighbours::NodeNeighbours(std::int64_t rank, std::int64_t size, std::string node)
    : m_node(std::move(node)) {
    if (rank > 0) m_neighbours.push_back({rank - 1});
    if (rank + 1 < size) m_neighbours.push_back({rank + 1});
}

bool NodeNeighbours::anyGone(const BeatOf& beatOf) {
    for (auto& neighbour : m_neighbours) {
        if (neighbour.forgotten) continue;
        if (neighbour.pid != 0) {
            if (!runsHere(neighbour.pid)) return true;
        } else if (const auto beat = beatOf(neighbour.rank)) {
            // a number that means no process here may be that of another namespace, or of an earlier attempt
            if (beat->node == m_node && runsHere(beat->pid)) neighbour.pid = beat->pid;
            neighbour.forgotten = beat->node != m_node;
        }
    }
    return false;
}

void NodeNeighbours::forgetGone() {
    for (auto& neighbour : m_neighbours)
        neighbour.forgotten = neighbour.forgotten || (neighbour.pid != 0 && !runsHere(neighbour.pid));
}

}  // namespace dailies::trainer
