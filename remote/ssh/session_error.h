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

/// Whether an error means that there is no connection any more, or none yet: another attempt may mend it.
inline bool isConnectionError(const Error& error) {
    const auto* session = dynamic_cast<const SessionError*>(&error);
    return session && (session->failure() == Failure::Lost || session->failure() == Failure::Unreachable);
}

}  // namespace dailies::remote::ssh
