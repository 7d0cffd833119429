#include "remote/ssh/route.h"

#include "remote/ssh/jump_host_route.h"
#include "remote/ssh/proxy_command.h"
#include "remote/ssh/session_error.h"
#include "remote/ssh/tcp.h"

#include <unistd.h>
#include <utility>

namespace dailies::remote::ssh {

namespace {

/// Enough for any network, and an end where two hosts name each other.
constexpr int kMaxJumps = 8;

class Tcp : public Route {
public:
    explicit Tcp(int socket) : m_socket(socket) {}
    ~Tcp() override {
        if (m_socket >= 0) ::close(m_socket);
    }
    Tcp(const Tcp&) = delete;
    Tcp& operator=(const Tcp&) = delete;
    int takeSocket() override { return std::exchange(m_socket, -1); }

private:
    int m_socket;
};

std::string spelled(const JumpHost& jump) {
    const bool isAddress = jump.host.find(':') != std::string::npos;
    return (jump.user.empty() ? "" : jump.user + "@") + (isAddress ? "[" + jump.host + "]" : jump.host) +
           (jump.port ? ":" + std::to_string(jump.port) : "");
}

/// The last of the jumps, reached through those before it: by its own configuration when it is the only one.
Endpoint lastJump(const Endpoint& endpoint, const HostConfig& config) {
    Endpoint last;
    last.host = config.jumps.back().host;
    last.user = config.jumps.back().user;
    last.port = config.jumps.back().port;
    for (std::size_t i = 0; i + 1 < config.jumps.size(); ++i)
        last.jumps += (i ? "," : "") + spelled(config.jumps[i]);
    last.readUserConfig = endpoint.readUserConfig;
    last.configFile = endpoint.configFile;
    last.timeout = endpoint.timeout;
    return last;
}

}  // namespace

std::unique_ptr<Route> makeRoute(const Endpoint& endpoint, const HostConfig& config, Prompter& prompter,
                                 const std::stop_token& stop, int jumps) {
    if (!config.jumps.empty()) {
        if (jumps >= kMaxJumps)
            throw SessionError(Failure::Unreachable,
                               "The way to " + endpoint.host + " has more than " + std::to_string(kMaxJumps) +
                                   " jump hosts.",
                               "Look for hosts of ~/.ssh/config that name each other as ProxyJump.");
        return std::make_unique<JumpHostRoute>(lastJump(endpoint, config), config.hostName, config.port,
                                               prompter, stop, jumps + 1);
    }
    if (!config.proxyCommand.empty()) return std::make_unique<ProxyCommand>(config.proxyCommand);
    return std::make_unique<Tcp>(
        connectTcp(config.hostName, config.port, config.connectTimeout.value_or(endpoint.timeout), stop));
}

}  // namespace dailies::remote::ssh
