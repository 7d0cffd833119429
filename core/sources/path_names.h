#pragma once

#include <string_view>

// Paths relative to the run directory, with '/' between folders.
namespace dailies::sources {

inline std::string_view fileNameOf(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// Whether the file lies in a folder of this name, at any depth.
inline bool isBelow(std::string_view path, std::string_view folder) {
    while (!path.empty()) {
        const auto slash = path.find('/');
        if (slash == std::string_view::npos) return false;
        if (path.substr(0, slash) == folder) return true;
        path.remove_prefix(slash + 1);
    }
    return false;
}

}  // namespace dailies::sources
