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
constexpr std::optional<std::size_t> opponentOf(std::size_t team, std::size_t round, std::size_t teams) {
    const std::size_t even = teams + teams % 2, turning = even - 1;
    std::size_t opponent = 0;
    if (team == turning) {  // stands still; the others turn around it
        for (opponent = 0; opponent < turning; ++opponent)
            if (2 * opponent % turning == round % turning) break;
    } else {
        opponent = (round + turning - team % turning) % turning;
        if (opponent == team) opponent = turning;
    }
    if (opponent >= teams) return std::nullopt;
    return opponent;
}

}  // namespace dailies::trainer
