#pragma once

#include "core/base/json.h"

#include <string>
#include <vector>

namespace dailies::rules {

/// Where a program's metrics and clips are that no tracker tells of, as its user says.
struct SourceRules {
    std::string output = {};              ///< see OutputRule; empty: none
    std::vector<std::string> clips = {};  ///< see ClipPattern; the first that a path fits counts

    bool isEmpty() const { return output.empty() && clips.empty(); }
    bool operator==(const SourceRules&) const = default;
};

/// Throws `InputError` that begins with "output: " or "clips: ".
void check(const SourceRules& rules);

/// As a run's record has them.
std::string toText(const SourceRules& rules);
/// What of a record can be used: others may have written it.
SourceRules fromText(const std::string& text);

}  // namespace dailies::rules
