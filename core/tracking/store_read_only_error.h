#pragma once

#include "core/base/error.h"

namespace dailies::tracking {

/// The store cannot be opened for writing, but for reading (Store::Mode::ReadOnly): offer that.
class StoreReadOnlyError : public Error {
public:
    using Error::Error;
};

}  // namespace dailies::tracking
