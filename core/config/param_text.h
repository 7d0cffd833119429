#pragma once

#include "core/base/json.h"

#include <string>
#include <string_view>

namespace dailies::config {

/// The value of a param as the store keeps it, and as every name, cell and tile that comes from one shows it:
/// "0.0003" and "1e-05" as Python and MLflow write numbers, "3.0" of a field that takes any number, texts as
/// they are.
std::string paramText(std::string_view key, const Json& value);

}  // namespace dailies::config
