#pragma once

#include "core/sweep/sweep.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dailies::sweep {

/// What is wrong with the resources, as "time_limit: found …, expected …."; nullopt when nothing is.
std::optional<std::string> validationError(const Resources& resources);

/// What a sweep file says of resources, by its names there.
using ResourceField = std::variant<std::string Resources::*, int Resources::*, bool Resources::*>;
const std::vector<std::pair<std::string, ResourceField>>& resourceFields();

/// `base` with what `keys` say of it, by the names of a sweep file: {"nodes": 8, "time_limit": "8:00:00"}.
/// Each value has the type of its field; a name that is none is passed over.
Resources overlaid(Resources base, const Json& keys);

/// What one process of such a run has: one node, one rank, one GPU if it has any.
Resources ofOneProcess(Resources resources);

/// Whether `text` is a time that sbatch takes: "minutes", "minutes:seconds", "hours:minutes:seconds",
/// "days-hours", "days-hours:minutes", "days-hours:minutes:seconds" or "UNLIMITED".
bool isSbatchTime(std::string_view text);

/// Seconds of such a time; 0 for no limit.
std::int64_t secondsOf(const std::string& time);

/// Whether `text` is a memory size that sbatch takes: a whole number, with K, M, G or T behind it or none
/// (megabytes).
bool isSbatchMemory(std::string_view text);

}  // namespace dailies::sweep
