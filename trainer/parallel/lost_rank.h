#pragma once

#include "core/base/error.h"

namespace dailies::trainer {

/// A collective failed because another rank of the run is gone. `Watchdog::explain` says which.
class LostRank : public Error {
public:
    using Error::Error;
};

}  // namespace dailies::trainer
