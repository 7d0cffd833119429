#pragma once

#include <string>
#include <string_view>

namespace dailies {

/// A fresh run or sweep id: 32 lower-case hex digits from the system's random source, as MLflow's run uuids
/// are.
std::string newId();

/// Whether `text` has the form of such an id. Ids become folder names, so nothing else may.
bool isId(std::string_view text);

}  // namespace dailies
