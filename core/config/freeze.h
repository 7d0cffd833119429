#pragma once

#include <string>
#include <vector>

namespace dailies::config {

/// Whether the patterns of `optimizer.freeze` leave a weight as it is. A pattern matches names that contain
/// it, "*" all; one behind '!' takes back what earlier ones froze: ["*", "!motion_modules"] trains motion
/// modules alone.
bool isFrozen(const std::vector<std::string>& patterns, const std::string& name);

}  // namespace dailies::config
