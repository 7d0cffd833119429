#pragma once

#include "core/tracking/store.h"

#include <string>

namespace dailies::tracking {

/// The run's tag, or "".
inline std::string tagOf(const Run& run, const std::string& key) {
    const auto found = run.tags.find(key);
    return found == run.tags.end() ? std::string() : found->second;
}

}  // namespace dailies::tracking
