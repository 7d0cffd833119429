#pragma once

#include "remote/ssh/connection.h"
#include "remote/ssh/route.h"

#include <libssh/libssh.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace dailies::remote::ssh {

/// A server reached through a connection to another one, which carries the conversation in a channel. Nothing
/// on the jump host sees more than encrypted bytes. One thread of its own drives that connection.
class JumpHostRoute : public Route {
public:
    /// Connects to the jump host, and asks it for a channel to `host` and `port`. `jumps`: how many more
    /// hosts lie behind this one.
    JumpHostRoute(const Endpoint& jumpHost, const std::string& host, int port, Prompter& prompter,
                  const std::stop_token& stop, int jumps);
    ~JumpHostRoute() override;
    JumpHostRoute(const JumpHostRoute&) = delete;
    JumpHostRoute& operator=(const JumpHostRoute&) = delete;

    int takeSocket() override;
    std::string errorOutput() override;
    std::string name() const override { return "the jump host " + m_hop.host(); }

private:
    void open(const std::string& host, int port, const std::stop_token& stop);
    void carry(const std::stop_token& stop);

    Connection m_hop;
    std::unique_ptr<ssh_channel_struct, decltype(&ssh_channel_free)> m_channel;
    int m_near = -1;  ///< the session's end of a pair of sockets
    int m_far = -1;   ///< ours
    std::mutex m_mutex;
    std::string m_errorOutput;
    std::jthread m_carrier;
};

}  // namespace dailies::remote::ssh
