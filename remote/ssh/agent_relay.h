#pragma once

#include "remote/ssh/watchdog.h"

#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace dailies::remote::ssh {

/// Stands between libssh and the SSH agent, and shows one of the agent's keys at a time: libssh would offer
/// them all in the agent's order, although a server ends the conversation after a few wrong ones. Signatures
/// are the agent's own. The protocol is that of draft-ietf-sshm-ssh-agent.
class AgentRelay {
public:
    /// While the agent signs, which may take a person's touch or consent, `watchdog` counts no silence. A
    /// stop request ends every wait for the agent.
    AgentRelay(const std::filesystem::path& agent, Watchdog& watchdog, const std::stop_token& stop);
    ~AgentRelay();
    AgentRelay(const AgentRelay&) = delete;
    AgentRelay& operator=(const AgentRelay&) = delete;

    /// For ssh_set_agent_socket; -1 when no agent answers. libssh does not close it: it ends with this
    /// object.
    int socket() const { return m_near; }
    /// What the agent holds, base64, in its order.
    const std::vector<std::string>& keys() const { return m_keys; }
    /// From now on libssh sees this key alone.
    void show(const std::string& key);

private:
    std::vector<std::string> list() const;
    void serve(const std::stop_token& end);
    std::string shownList();

    Watchdog& m_watchdog;
    std::stop_token m_stop;
    int m_agent = -1;  ///< connection to the agent
    int m_near = -1;   ///< libssh's end of a pair of sockets
    int m_far = -1;    ///< ours
    std::vector<std::string> m_keys;
    std::mutex m_mutex;
    std::string m_shown;
    std::jthread m_thread;
};

}  // namespace dailies::remote::ssh
