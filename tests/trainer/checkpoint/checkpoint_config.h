#pragma once

#include "core/config/train_config.h"

namespace dailies::trainer {

/// The default retention, keeping so many.
inline config::TrainConfig::Checkpoint keepingNewest(std::int64_t keep) {
    config::TrainConfig::Checkpoint config;
    config.keep = keep;
    return config;
}

}  // namespace dailies::trainer
