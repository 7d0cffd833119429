#pragma once

#include "remote/ssh/host_config.h"
#include "remote/ssh/route.h"
#include "remote/ssh/session.h"
#include "remote/ssh/session_error.h"
#include "remote/ssh/watchdog.h"

#include <libssh/libssh.h>

#include <memory>
#include <optional>
#include <string>

namespace dailies::remote::ssh {

/// A connected, verified and authenticated libssh session with its watchdog: what exec and SFTP are built on.
/// One thread at a time, but `watchdog().abort()` from any.
class Connection {
public:
    /// `jumps`: how many jump hosts lie behind this one, when it is one itself.
    Connection(const Endpoint& endpoint, Prompter& prompter, const std::stop_token& stop, int jumps = 0);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    ssh_session handle() const { return m_session.get(); }
    Watchdog& watchdog() { return m_watchdog; }
    const std::string& host() const { return m_host; }  ///< as people know it, for messages
    /// How a person tries the same by hand: `ssh … true`.
    const std::string& trialCommand() const { return m_trialCommand; }
    bool connected() const;

    /// How long a call may see no byte: below the endpoint's timeout, so that the failure is reported within
    /// it.
    std::chrono::milliseconds idleTimeout() const { return m_idleTimeout; }
    /// After how much silence a long call should ask whether the server is still there.
    std::chrono::milliseconds keepAliveAfter() const { return m_idleTimeout * 3 / 8; }
    void keepAlive(const std::stop_token& stop = {});

    /// Call after libssh failed: throws what really happened (Cancelled, Lost) or, when the connection still
    /// stands, Remote with `what` and libssh's reason.
    [[noreturn]] void fail(const std::string& what) const;
    void requireConnected() const;

    /// What the login shell's start-up files print before a command's own output, as far as a command has
    /// shown it; nullopt while none has run.
    const std::optional<std::string>& startupOutput() const { return m_startupOutput; }
    void setStartupOutput(const std::string& text) { m_startupOutput = text; }

private:
    void configure();
    void connect(const std::stop_token& stop);

    std::string m_host, m_trialCommand;
    bool m_open = false;  ///< signed in
    HostConfig m_config;
    std::chrono::milliseconds m_timeout, m_idleTimeout;
    std::optional<std::string> m_startupOutput;
    std::unique_ptr<Route> m_route;  // outlives the session that talks through it
    Watchdog m_watchdog;
    std::unique_ptr<ssh_session_struct, decltype(&ssh_free)> m_session;
};

}  // namespace dailies::remote::ssh
