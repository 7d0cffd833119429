#include "trainer/rehearsal/collective_match.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace dailies::trainer {

namespace {

/// One collective: who has begun it so far.
struct Round {
    struct Arrival {
        std::int64_t rank = 0;
        std::size_t call = 0;
    };
    std::vector<Arrival> arrivals;
    std::vector<std::int64_t> waiting;  ///< ranks
};

struct Meeting {
    std::vector<std::int64_t> members;
    std::deque<Round> rounds;
    std::map<std::int64_t, std::size_t> begun;  ///< by rank: how many rounds

    bool isOver(std::size_t round) const { return rounds[round].arrivals.size() == members.size(); }
};

class Play {
public:
    explicit Play(const std::vector<const RecordedRank*>& ranks)
        : m_ranks(ranks), m_next(ranks.size()), m_places(ranks.size()), m_blockedIn(ranks.size()) {}

    CollectiveMatch run() {
        std::deque<std::int64_t> ready;
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
            ready.push_back(static_cast<std::int64_t>(rank));
        while (!ready.empty() && m_found.agrees()) {
            const auto rank = ready.front();
            ready.pop_front();
            goOn(rank, ready);
        }
        if (m_found.agrees()) findUnmet();
        return m_found;
    }

private:
    struct Place {
        Meeting* meeting = nullptr;
        std::size_t round = 0;
    };

    const RecordedRank& of(std::int64_t rank) const { return *m_ranks[static_cast<std::size_t>(rank)]; }

    /// Up to the rank's end, or to where it has to wait.
    void goOn(std::int64_t rank, std::deque<std::int64_t>& ready) {
        const auto index = static_cast<std::size_t>(rank);
        const auto& calls = m_ranks[index]->calls;
        m_blockedIn[index].reset();
        for (auto& next = m_next[index]; next < calls.size() && m_found.agrees(); ++next) {
            const auto& call = calls[next];
            if (call.kind != CallKind::wait) {
                begin(rank, next, ready);
                continue;
            }
            const auto& [meeting, round] = m_places[index].at(call.of);
            if (meeting->isOver(round)) continue;
            meeting->rounds[round].waiting.push_back(rank);
            m_blockedIn[index] = call.of;
            return;
        }
    }

    void begin(std::int64_t rank, std::size_t index, std::deque<std::int64_t>& ready) {
        const auto& call = of(rank).calls[index];
        const auto& group = of(rank).groups[call.group];
        auto& meeting = m_meetings[group.name + "/" + std::to_string(group.members.front())];
        if (meeting.members.empty()) meeting.members = group.members;
        const auto number = meeting.begun[rank]++;
        m_places[static_cast<std::size_t>(rank)][index] = {&meeting, number};
        if (number == meeting.rounds.size()) meeting.rounds.emplace_back();
        auto& round = meeting.rounds[number];
        for (const auto& other : round.arrivals) compare({rank, index}, other, number);
        round.arrivals.push_back({rank, index});
        if (round.arrivals.size() < meeting.members.size()) return;
        ++m_found.collectives;
        ready.insert(ready.end(), round.waiting.begin(), round.waiting.end());
    }

    /// What one sends the other has to receive; in all else members do the same.
    static bool areOfOne(CallKind own, CallKind theirs) {
        if (own == CallKind::send) return theirs == CallKind::receive;
        if (own == CallKind::receive) return theirs == CallKind::send;
        return own == theirs;
    }

    void compare(const Round::Arrival& one, const Round::Arrival& other, std::size_t number) {
        if (!m_found.agrees()) return;
        const auto &own = of(one.rank).calls[one.call], &theirs = of(other.rank).calls[other.call];
        const auto &ownGroup = of(one.rank).groups[own.group], &group = of(other.rank).groups[theirs.group];
        std::string what;
        if (ownGroup.members != group.members)
            what = "are of different groups, " + ranksText(ownGroup.members) + " and " +
                   ranksText(group.members);
        else if (!areOfOne(own.kind, theirs.kind) || own.type != theirs.type)
            what = "are not the same collective";
        else if (own.kind == CallKind::allToAll) {
            if (own.given[group.own] != theirs.taken[ownGroup.own] ||
                own.taken[group.own] != theirs.given[ownGroup.own])
                what = "exchange unequal parts: " +
                       fromTo(one.rank, other.rank, own, group.own, theirs, ownGroup.own);
        } else if (own.elements() != theirs.elements())
            what = "differ in size";
        if (what.empty()) return;
        const auto& first = one.rank < other.rank ? one : other;
        const auto& second = one.rank < other.rank ? other : one;
        m_found.mismatch = where(first) + ", and rank " + std::to_string(second.rank) + "'s " +
                           callText(second) + ", both number " + std::to_string(number + 1) +
                           " of the group \"" + group.name + "\", " + what + ".";
    }

    static std::string fromTo(std::int64_t one, std::int64_t other, const RecordedCall& own,
                              std::size_t otherPlace, const RecordedCall& theirs, std::size_t ownPlace) {
        const auto text = [](std::int64_t from, std::int64_t gives, std::int64_t to, std::int64_t takes) {
            return "rank " + std::to_string(from) + " gives " + std::to_string(gives) + " elements to rank " +
                   std::to_string(to) + ", which takes " + std::to_string(takes);
        };
        if (own.given[otherPlace] != theirs.taken[ownPlace])
            return text(one, own.given[otherPlace], other, theirs.taken[ownPlace]);
        return text(other, theirs.given[ownPlace], one, own.taken[otherPlace]);
    }

    /// "call 7, an all-reduce of Float [4] among ranks 0, 1".
    std::string callText(const Round::Arrival& at) const {
        const auto& call = of(at.rank).calls[at.call];
        return "call " + std::to_string(at.call + 1) + ", " + textOf(call) + " among " +
               ranksText(of(at.rank).groups[call.group].members);
    }
    std::string where(const Round::Arrival& at) const {
        return "Rank " + std::to_string(at.rank) + "'s " + callText(at);
    }

    /// When nobody can go on: who has not, or what was begun and never met.
    void findUnmet() {
        for (std::size_t rank = 0; rank < m_ranks.size(); ++rank)
            if (m_blockedIn[rank]) return describeWait(static_cast<std::int64_t>(rank));
        for (const auto& [name, meeting] : m_meetings)
            for (std::size_t round = 0; round < meeting.rounds.size(); ++round)
                if (!meeting.isOver(round)) {
                    const auto& first = meeting.rounds[round].arrivals.front();
                    m_found.mismatch = where(first) + ", is never begun by rank " +
                                       std::to_string(missing(meeting, round)) + ".";
                    return;
                }
    }

    static std::int64_t missing(const Meeting& meeting, std::size_t round) {
        const auto& arrivals = meeting.rounds[round].arrivals;
        return *std::ranges::find_if(meeting.members, [&](std::int64_t member) {
            return std::ranges::find(arrivals, member, &Round::Arrival::rank) == arrivals.end();
        });
    }

    void describeWait(std::int64_t rank) {
        std::set<std::int64_t> told;
        std::string text;
        while (told.insert(rank).second) {
            const auto index = static_cast<std::size_t>(rank);
            const auto blocked = m_blockedIn[index];
            if (!blocked) {
                text += ", which has made all of its " + std::to_string(of(rank).calls.size()) + " calls";
                break;
            }
            const auto& [meeting, round] = m_places[index].at(*blocked);
            const auto next = missing(*meeting, round);
            text += text.empty() ? "Rank " + std::to_string(rank) + " waits" : ", which waits";
            text += " in its " + callText({rank, *blocked}) + ", for rank " + std::to_string(next);
            rank = next;
        }
        m_found.mismatch =
            text + (m_blockedIn[static_cast<std::size_t>(rank)] ? ": they wait forever." : ".");
    }

    const std::vector<const RecordedRank*>& m_ranks;
    std::vector<std::size_t> m_next;                      ///< of each rank: the call it is at
    std::vector<std::map<std::size_t, Place>> m_places;   ///< of each rank: by its calls
    std::vector<std::optional<std::size_t>> m_blockedIn;  ///< of each rank: the call it waits for
    std::map<std::string, Meeting> m_meetings;
    CollectiveMatch m_found;
};

}  // namespace

CollectiveMatch matchCollectives(const std::vector<const RecordedRank*>& ranks) {
    return Play(ranks).run();
}

}  // namespace dailies::trainer
