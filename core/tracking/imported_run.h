#pragma once

#include "core/tracking/store.h"

/// Runs that came from another tracker's files: what they tell happened before they came.
namespace dailies::tracking {

namespace tag {
inline constexpr const char* kImportedFrom = "dailies.imported_from";  ///< the file or folder
}

inline bool isImported(const Run& run) {
    return run.tags.contains(tag::kImportedFrom);
}

}  // namespace dailies::tracking
