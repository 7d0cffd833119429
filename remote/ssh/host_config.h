#pragma once

#include "remote/ssh/session.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote::ssh {

/// A host on the way to another one (ProxyJump). Empty or 0 = what ~/.ssh/config says of it.
struct JumpHost {
    std::string host = {};
    std::string user = {};
    int port = 0;
};

/// What OpenSSH would do to reach a host (ssh_config(5)), with everything expanded.
struct HostConfig {
    std::string hostName;  ///< what to connect to; the endpoint's host may be an alias of it
    int port = 22;
    std::string user;
    std::vector<JumpHost> jumps;  ///< in the order in which they are passed; then `proxyCommand` is empty
    std::string proxyCommand;     ///< a shell command that talks to the server; empty: none

    std::string hostKeyAlias;  ///< under which known_hosts lists the host; empty: its name and port
    std::vector<std::filesystem::path> userKnownHosts;  ///< a new key is saved in the first
    std::vector<std::filesystem::path> globalKnownHosts;
    bool hashKnownHosts = false;
    std::filesystem::path revokedHostKeys;  ///< keys that no host may show; empty: no such file
    enum class UnknownKey { Ask, Refuse, Accept };
    UnknownKey unknownKey = UnknownKey::Ask;

    std::vector<std::string> methods;  ///< in which one may sign in, best first, by their names in SSH
    std::vector<std::filesystem::path> identityFiles;  ///< private keys, of which some may not exist
    std::vector<std::filesystem::path> certificateFiles;
    bool identitiesOnly = false;        ///< no other keys of the agent than these
    std::filesystem::path agentSocket;  ///< empty: there is no agent
    int passwordPrompts = 3;

    std::string ciphers, macs, keyExchanges, hostKeyAlgorithms, publicKeyAlgorithms;
    bool compression = false;
    std::optional<std::chrono::seconds> connectTimeout;
    std::optional<std::chrono::seconds> idleTimeout;  ///< ServerAliveInterval × ServerAliveCountMax
};

/// What a person types to run `remoteCommand` there as Dailies does: "ssh -p 2222 -i KEY ada@login.lab true".
std::string sshCommand(const Endpoint& endpoint, const std::string& remoteCommand);

/// Asks `ssh -G`, so that every keyword of ~/.ssh/config, of the system's file and of what they include means
/// what it means to ssh: Host patterns, Match, Include, tokens, canonical names. A `Match exec` runs its
/// command. Throws `InputError` with ssh's own words for a file that it refuses, or when there is no ssh.
HostConfig resolveHost(const Endpoint& endpoint, const std::stop_token& stop);

}  // namespace dailies::remote::ssh
