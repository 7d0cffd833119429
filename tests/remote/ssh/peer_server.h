#pragma once

#include "core/base/text.h"
#include "tests/support/folders.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace dailies::remote::ssh {

/// peer_server.py, which says what each user meets.
class PeerServer {
public:
    /// `password`: the file that holds what it takes for the right one; without, that is "right".
    explicit PeerServer(const std::filesystem::path& password = {}) {
        const std::filesystem::path source = DAILIES_SOURCE_FOLDER;
        const auto python = source / "build/interop/bin/python";
        if (!std::filesystem::exists(python)) throw std::runtime_error("Run: bash tests/interop/setup.sh");
        const auto command = "exec " + shellQuote(python.string()) + " " +
                             shellQuote((source / "tests/remote/ssh/peer_server.py").string()) + " " +
                             shellQuote(password.string()) + " & echo $! ; wait";
        m_process = ::popen(("sh -c " + shellQuote(command)).c_str(), "re");
        m_pid = std::stoi(line());
        const auto words = split(line(), ' ');
        if (words.size() != 3) throw std::runtime_error("The server in Python did not start.");
        m_port = std::stoi(words[0]);
        m_hostKey = words[1] + " " + words[2];
    }
    ~PeerServer() {
        ::kill(m_pid, SIGKILL);
        ::pclose(m_process);
    }
    PeerServer(const PeerServer&) = delete;
    PeerServer& operator=(const PeerServer&) = delete;

    int port() const { return m_port; }
    std::string knownHost() const { return "[127.0.0.1]:" + std::to_string(m_port) + " " + m_hostKey + "\n"; }

private:
    std::string line() {
        std::array<char, 1000> buffer{};
        return std::fgets(buffer.data(), buffer.size(), m_process) ? std::string(trim(buffer.data())) : "";
    }

    FILE* m_process = nullptr;
    pid_t m_pid = 0;
    int m_port = 0;
    std::string m_hostKey;
};

}  // namespace dailies::remote::ssh
