#pragma once

#include "core/tracking/store.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::tracking {

namespace tag {
inline constexpr const char* kColor =
    "dailies.color";  ///< one of `kRunColors`, for good or until a person chooses
}

/// What a run's curve, row and tile may be coloured with. A name each, since a colour has another tint in
/// each theme; the order is that of the themes' palettes.
inline constexpr std::array<std::string_view, 12> kRunColors{
    "blue", "orange", "green", "purple", "amber", "teal", "red", "indigo", "lime", "brown", "pink", "slate"};

/// How many of the runs before it a run never shares its colour with, unless a person chose so.
inline constexpr std::size_t kDistinctColorWindow = kRunColors.size() - 1;

/// The index of a colour of that name; nullopt when there is none.
std::optional<std::size_t> runColorOf(std::string_view name);

/// The colour of a run that nobody gave one: its id's own, or the next that none of `recent` has.
std::size_t newRunColor(const std::string& runId, const std::vector<std::size_t>& recent = {});

struct RunColor {
    std::string runId;
    std::size_t color = 0;
    bool stored = false;  ///< false: of a run of another program, or of an older version; to be stored
};

/// The colour of each of these runs, in any order: the stored one, or, oldest first, a new one.
std::vector<RunColor> runColors(const std::vector<Run>& runs);

}  // namespace dailies::tracking
