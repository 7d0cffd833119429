#pragma once

#include "core/judging/arena.h"
#include "core/tracking/store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::judging {

namespace mirror {
/// A metric of each run of an arena, with a point at the step at which it took part: its strength, the
/// natural logarithm of the odds at which it beats a clip of the arena's mean. A sweep may name it as its
/// metric.
inline constexpr const char* kArena = "review/arena";
inline constexpr const char* kArenaTag = "dailies.review.arena";  ///< "1.20 ± 0.45 (1st of 4, 18 bouts)"
}  // namespace mirror

/// An arena as it is kept.
struct ArenaRecord {
    std::string id;  ///< 32 hex digits
    std::string title;
    Roster roster;
    std::uint64_t seed = 0;
    std::string author;
    std::int64_t createdMs = 0;
};

void addArena(tracking::Store& store, const ArenaRecord& arena);

/// Those in which any of these runs takes part, newest first.
std::vector<ArenaRecord> arenasOf(const tracking::Store& store, const std::vector<std::string>& runIds);

/// In the order in which they were made.
std::vector<Choice> choicesOf(const tracking::Store& store, const std::string& arenaId);

/// Stores an answer, and with it what MLflow sees of the runs' strengths; its id.
std::int64_t addChoice(tracking::Store& store, const std::string& arenaId, const Choice& choice);
void removeChoice(tracking::Store& store, const std::string& arenaId, std::int64_t choiceId);

}  // namespace dailies::judging
