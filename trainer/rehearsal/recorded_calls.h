#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::trainer {

/// What a rank asks its communicators for: to be made (`meet`), for a collective to begin, and to wait until
/// one is over.
enum class CallKind {
    newGroup,
    allReduce,
    broadcast,
    reduceScatter,
    allGather,
    allToAll,
    send,
    receive,
    wait
};

struct RecordedCall {
    CallKind kind = CallKind::wait;
    std::size_t group = 0;                 ///< of the rank's `RecordedRank::groups`
    std::string type = {};                 ///< of the elements: "Float"
    std::vector<std::int64_t> sizes = {};  ///< of the whole message
    std::int64_t elementBytes = 0;
    /// Of an exchange: the elements that go to, and come from, each member of the group.
    std::vector<std::int64_t> given = {}, taken = {};
    std::size_t of = 0;  ///< the call that a `wait` is for

    std::int64_t elements() const;
    std::int64_t bytes() const { return elements() * elementBytes; }
};

/// Ranks that make collectives together, as one of them sees it.
struct RecordedGroup {
    std::string name;                   ///< "shard": what it is for
    std::vector<std::int64_t> members;  ///< ranks of the run, in the group's order
    std::size_t own = 0;                ///< this rank's place among them
};

/// All that one rank asked for, in order.
struct RecordedRank {
    std::vector<RecordedGroup> groups;
    std::vector<RecordedCall> calls;
};

/// "an all-reduce of Float [2, 16]".
std::string textOf(const RecordedCall& call);
/// "all 8 ranks", "ranks 0, 1, 2, 3", "ranks 0, 8, …, 120".
std::string ranksText(const std::vector<std::int64_t>& ranks);

/// Equal for ranks that stand alike: those that ask for the same in the same order, each among its own.
std::string kindOf(const RecordedRank& rank);

}  // namespace dailies::trainer
