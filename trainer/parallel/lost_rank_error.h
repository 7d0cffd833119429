#pragma once

#include "core/base/error.h"

namespace dailies::trainer {

/// A collective failed: another rank of the run is gone, or the connection to it broke. `Watchdog::explain`
/// says which.
class LostRank : public Error {
public:
    using Error::Error;
};

}  // namespace dailies::trainer
