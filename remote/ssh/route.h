#pragma once

#include "remote/ssh/host_config.h"
#include "remote/ssh/session.h"

#include <memory>
#include <stop_token>
#include <string>

namespace dailies::remote::ssh {

/// The way to an SSH server: what stands between it and this machine, for as long as a session uses it.
class Route {
public:
    virtual ~Route() = default;
    /// The socket on which the server talks. The caller's from here on; asked for once.
    virtual int takeSocket() = 0;
    /// What the way itself said since, for the message of a failure; "" when it said nothing.
    virtual std::string errorOutput() { return {}; }
    /// What it is, for people: "the jump host gate", "the proxy command"; "" for no detour.
    virtual std::string name() const { return {}; }
};

/// Straight over TCP, by the configuration's ProxyCommand, or through its jump hosts, each of which is
/// reached, verified and signed in to by its own configuration. Throws `SessionError` (Unreachable, or what a
/// jump host failed with). `jumps`: how many jump hosts lie behind this endpoint.
std::unique_ptr<Route> makeRoute(const Endpoint& endpoint, const HostConfig& config, Prompter& prompter,
                                 const std::stop_token& stop, int jumps);

}  // namespace dailies::remote::ssh
