#pragma once

#include <cstddef>
#include <optional>

namespace dailies::trainer {

/// How many rounds it takes until each of `teams` has met every other once.
constexpr std::size_t roundsOf(std::size_t teams) {
    return teams < 2 ? 0 : teams - 1 + teams % 2;
}

/// Whom `team` meets in a round from 0 (the circle method): all pairs of a round are disjoint, so that none
/// disturbs another's measurement. nullopt: nobody, the number of teams is odd.
constexpr std::optional<std::size_t> partnerOf(std::size_t team, std::size_t round, std::size_t teams) {
    const std::size_t even = teams + teams % 2, turning = even - 1;
    std::size_t partner = 0;
    if (team == turning) {  // stands still; the others turn around it
        for (partner = 0; partner < turning; ++partner)
            if (2 * partner % turning == round % turning) break;
    } else {
        partner = (round + turning - team % turning) % turning;
        if (partner == team) partner = turning;
    }
    if (partner >= teams) return std::nullopt;
    return partner;
}

}  // namespace dailies::trainer
