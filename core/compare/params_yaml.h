#pragma once

#include "core/tracking/store.h"

#include <string>

namespace dailies::compare {

/// The run's params as a nested YAML document that a sweep file's `config:` and `dailies-train` take:
/// {"optimizer.lr": "0.01"} → "optimizer:\n  lr: 0.01\n". Keys of the schema have its types, others are
/// text. A key that is a value and a group at once ("a" and "a.b") stays dotted.
std::string paramsToYaml(const tracking::Run& run);

}  // namespace dailies::compare
