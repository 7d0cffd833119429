#pragma once

#include "core/tracking/store.h"

#include <map>
#include <string>
#include <vector>

namespace dailies::query {

/// The keys and values that the runs at hand really have: what completion offers and what messages suggest.
struct Vocabulary {
    std::vector<std::string> metrics, params, tags;  ///< keys, sorted, each once

    /// For each key the values found, the most frequent first, at most `kMaxValues` of them.
    std::map<std::string, std::vector<std::string>> paramValues, tagValues;

    std::vector<std::string> runNames, experiments,
        users;  ///< the most frequent first, at most `kMaxValues`

    static constexpr std::size_t kMaxValues = 100;
};

/// What `runs` have. Takes about 0.05 s for 5,000 runs of 30 params and metrics each: not for the GUI thread.
Vocabulary vocabularyOf(const std::vector<const tracking::Run*>& runs);
Vocabulary vocabularyOf(const std::vector<tracking::Run>& runs);

}  // namespace dailies::query
