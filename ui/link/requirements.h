#pragma once

#include "core/base/error.h"

#include <filesystem>
#include <string>

namespace dailies::ui {

/// How opening the store went.
struct StoreOpening {
    bool isOpen = false;
    std::string readOnlyReason;  ///< why it cannot be written, for a person; empty when it can

    /// Throws `Error` unless something can be asked of a cluster.
    void requireWritable(const std::filesystem::path& storeFile) const;
};

Error notConnectedError();

}  // namespace dailies::ui
