#pragma once

#include "remote/ssh/session_error.h"

#include <functional>
#include <optional>

namespace dailies::remote::ssh {

/// The failure that an action ends in; any other exception fails the test.
inline std::optional<SessionError> failureOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const SessionError& error) {
        return error;
    }
    return std::nullopt;
}

}  // namespace dailies::remote::ssh
