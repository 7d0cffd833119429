#pragma once

#include "core/base/ports.h"

#include <cstdint>

namespace dailies::trainer {

/// A TCP port of this machine that nobody uses.
inline std::uint16_t freePort() {
    return static_cast<std::uint16_t>(freePorts(1).front());
}

}  // namespace dailies::trainer
