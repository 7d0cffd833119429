#pragma once

#include "core/base/error.h"
#include "remote/ssh/session.h"

namespace dailies::remote::ssh {

/// Thrown by `Session`: the message and remedy for a person, and the kind of failure for code that decides on
/// a retry.
class SessionError : public Error {
public:
    SessionError(Failure failure, const std::string& what, std::string remedy = {})
        : Error(what, std::move(remedy)), m_failure(failure) {}

    Failure failure() const noexcept { return m_failure; }

private:
    Failure m_failure;
};

}  // namespace dailies::remote::ssh
