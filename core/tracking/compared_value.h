#pragma once

#include "core/tracking/store.h"

#include <string>
#include <string_view>

namespace dailies::tracking {

/// The value of a param as runs are compared by it: paths in a run's own folder, which is named by its id,
/// would differ in every run. "${run}" stands for the id there.
inline std::string comparedValue(const Run& run, std::string_view value) {
    std::string compared(value);
    if (run.id.empty() || value.size() <= run.id.size()) return compared;
    const auto folder = "/" + run.id;
    for (auto at = compared.find(folder); at != std::string::npos; at = compared.find(folder, at + 1)) {
        const auto end = at + folder.size();
        if (end == compared.size() || compared[end] == '/') compared.replace(at + 1, run.id.size(), "${run}");
    }
    return compared;
}

}  // namespace dailies::tracking
