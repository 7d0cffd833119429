#include "trainer/rehearsal/links.h"

#include <algorithm>

namespace dailies::trainer {

namespace {

/// How often a rank sends its share, (n - 1) / n, of the whole message to the next of its group.
double timesRound(CallKind kind) {
    switch (kind) {
        case CallKind::allReduce:
            return 2;
        case CallKind::reduceScatter:
        case CallKind::allGather:
            return 1;
        case CallKind::send:
            return 2;  // all of it, and the group is of two
        default:
            return 0;
    }
}

}  // namespace

LinkBytes linksOf(const std::vector<const RecordedRank*>& ranks, std::int64_t ranksPerNode) {
    LinkBytes links;
    const auto count = static_cast<std::int64_t>(ranks.size());
    links.nodes = (count + ranksPerNode - 1) / ranksPerNode;
    std::vector<double> leaving(static_cast<std::size_t>(links.nodes));
    for (std::int64_t rank = 0; rank < count; ++rank) {
        const auto& recorded = *ranks[static_cast<std::size_t>(rank)];
        const auto node = rank / ranksPerNode;
        const auto send = [&](std::int64_t to, double bytes) {
            if (to / ranksPerNode == node)
                links.withinNodes += bytes;
            else
                leaving[static_cast<std::size_t>(node)] += bytes;
        };
        for (const auto& call : recorded.calls) {
            if (call.kind == CallKind::wait) continue;
            const auto& [name, members, own] = recorded.groups[call.group];
            if (call.kind == CallKind::allToAll) {
                for (std::size_t i = 0; i < members.size(); ++i)
                    if (i != own) send(members[i], static_cast<double>(call.given[i] * call.elementBytes));
                continue;
            }
            const auto size = static_cast<double>(members.size());
            send(members[(own + 1) % members.size()],
                 timesRound(call.kind) * static_cast<double>(call.bytes()) * (size - 1) / size);
        }
    }
    for (const auto bytes : leaving) links.betweenNodes += bytes;
    links.maxNodeEgress = *std::ranges::max_element(leaving);
    return links;
}

}  // namespace dailies::trainer
