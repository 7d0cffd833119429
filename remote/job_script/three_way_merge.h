#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dailies::remote {

/// Of the lines of `mine`: which `base` does not have at that place.
std::vector<bool> changedLines(const std::string& base, const std::string& mine);

struct MergedLines {
    std::string text;
    std::vector<std::size_t> conflicts;  ///< lines of it, from 1, that both had changed, each in its own way
};

/// What `mine` changed in `base`, done to `theirs`. Where both changed the same lines, `mine` stays.
MergedLines mergeLines(const std::string& base, const std::string& mine, const std::string& theirs);

}  // namespace dailies::remote
