#pragma once

#include "remote/ssh/route.h"

#include <string>
#include <sys/types.h>

namespace dailies::remote::ssh {

/// A command of ~/.ssh/config whose standard input and output are the conversation with the server. It runs
/// in the user's shell, as ssh runs it, and ends with this object.
class ProxyCommand : public Route {
public:
    /// Throws `SessionError` when the shell cannot be started.
    explicit ProxyCommand(const std::string& command);
    ~ProxyCommand() override;
    ProxyCommand(const ProxyCommand&) = delete;
    ProxyCommand& operator=(const ProxyCommand&) = delete;

    int takeSocket() override;
    std::string errorOutput() override;  ///< its standard error so far
    std::string name() const override { return "the proxy command"; }

private:
    pid_t m_pid = -1;
    int m_socket = -1;
    int m_errors = -1;
    std::string m_errorOutput;
};

}  // namespace dailies::remote::ssh
