#pragma once

#include "remote/ssh/watchdog.h"

#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

namespace dailies::remote::ssh {

/// Stands between libssh and the SSH agent, and shows only some of the agent's keys: libssh would offer them
/// all in the agent's order, and a server ends the conversation after a few wrong ones. Signatures are the
/// agent's own. The protocol is that of draft-ietf-sshm-ssh-agent.
class AgentRelay {
public:
    enum class Show { OnlyThese, AllButThese };

    /// `keys`: base64. While the agent signs, which may take a person's touch or consent, `watchdog` counts
    /// no silence.
    AgentRelay(const std::filesystem::path& agent, std::set<std::string> keys, Show show, Watchdog& watchdog,
               const std::stop_token& stop);
    ~AgentRelay();
    AgentRelay(const AgentRelay&) = delete;
    AgentRelay& operator=(const AgentRelay&) = delete;

    /// For ssh_set_agent_socket, which takes it over; asked for once. -1: no agent answers.
    int takeSocket();

private:
    void serve(const std::stop_token& end);
    bool isShown(const std::string& key) const;
    std::string arrange(const std::string& answer) const;

    const std::set<std::string> m_keys;
    const Show m_show;
    Watchdog& m_watchdog;
    std::stop_token m_stop;
    int m_agent = -1;  ///< connection to the agent
    int m_near = -1;   ///< libssh's end of a pair of sockets
    int m_far = -1;    ///< ours
    std::jthread m_thread;
};

}  // namespace dailies::remote::ssh
