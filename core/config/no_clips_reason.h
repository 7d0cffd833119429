#pragma once

#include "core/config/train_config.h"

#include <string>

namespace dailies::config {

/// Why a run of this configuration makes no clips while it trains, and which keys would let it, in two
/// sentences for a person; empty: it makes some.
std::string noClipsReason(const TrainConfig& config);

}  // namespace dailies::config
