#pragma once

#include "core/config/train_config.h"

#include <string>
#include <vector>

namespace dailies::config {

/// What models that are U-Nets could not train or sample with, and files of characters that others do not
/// read: one sentence each, naming the key, what was found and what would be accepted.
std::vector<std::string> unetProblems(const TrainConfig& config);

}  // namespace dailies::config
