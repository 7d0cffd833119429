#pragma once

#include "core/base/json.h"

namespace dailies::app {

/// The one document that a command prints where JSON was asked for. Texts that are no UTF-8 are printed with
/// replacement characters.
void printJson(const Json& document);

}  // namespace dailies::app
