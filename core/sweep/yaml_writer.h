#pragma once

#include "core/base/json.h"

#include <yaml-cpp/yaml.h>

#include <string>

namespace dailies::sweep {

/// Text that a YAML parser could take for something else is quoted.
void emitText(YAML::Emitter& out, const std::string& text);

/// `exact`: whole numbers that are no integers keep their ".0", which Python tells apart.
void emitValue(YAML::Emitter& out, const Json& value, bool exact = false);

}  // namespace dailies::sweep
