#pragma once

#include "core/base/json.h"

#include <string>

namespace dailies::sweep {

/// The value as Python's str() writes it: True, None, 1e-05, texts as they are; lists and objects as their
/// repr(), ['a', 1.0] and {'lr': 0.1}.
std::string pythonText(const Json& value);

/// The value as json.dumps writes it: {"lr": 1e-05, "names": ["a", "b"]}, ASCII alone.
std::string pythonJson(const Json& value);

}  // namespace dailies::sweep
