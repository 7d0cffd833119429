#include "core/config/freeze.h"

namespace dailies::config {

bool isFrozen(const std::vector<std::string>& patterns, const std::string& name) {
    bool frozen = false;
    for (const auto& pattern : patterns) {
        const bool takesBack = pattern.starts_with('!');
        const auto part = takesBack ? pattern.substr(1) : pattern;
        if (part == "*" || name.find(part) != std::string::npos) frozen = !takesBack;
    }
    return frozen;
}

}  // namespace dailies::config
