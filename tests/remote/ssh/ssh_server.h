#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/ports.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "remote/sandbox/processes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace dailies::remote::ssh {

/// A fresh key pair in `file` and `file`.pub.
inline std::filesystem::path makeKey(const std::filesystem::path& file, const std::string& passphrase = "",
                                     const std::string& type = "ed25519") {
    std::filesystem::create_directories(file.parent_path());
    const auto made =
        runProcess({"ssh-keygen", "-q", "-t", type, "-N", passphrase, "-C", "test", "-f", file.string()});
    if (!made.ok()) throw std::runtime_error(made.err);
    return file;
}

/// "type base64" of a pair.
inline std::string publicKey(const std::filesystem::path& key) {
    const auto text = readFile(key.string() + ".pub");
    return text.substr(0, text.find(' ', text.find(' ') + 1));
}

/// A real sshd of our own on loopback, without Slurm. What runs there finds the server's name in $SERVER.
class SshServer {
public:
    /// `options`: lines of sshd_config, which win over those here. `authorized`: keys that it lets in.
    SshServer(std::filesystem::path folder, const std::vector<std::filesystem::path>& authorized,
              const std::string& options = {}, const std::string& hostKeyType = "ed25519")
        : m_folder(std::move(folder)), m_port(freePorts(1).front()) {
        const auto hostKey = makeKey(m_folder / "host_key", "", hostKeyType);
        std::string keys;
        for (const auto& key : authorized) keys += publicKey(key) + "\n";
        writeFileAtomically(m_folder / "authorized_keys", keys);
        writeFileAtomically(
            m_folder / "sshd_config",
            options + "\nListenAddress 127.0.0.1\nPort " + std::to_string(m_port) + "\nHostKey " +
                hostKey.string() + "\nAuthorizedKeysFile " + (m_folder / "authorized_keys").string() +
                "\nPidFile none\nStrictModes no\nUsePAM no\nUseDNS no\nPasswordAuthentication "
                "no\nKbdInteractiveAuthentication no\nSubsystem sftp internal-sftp\n"
                "SetEnv SHLVL=1 SERVER=" +
                name() + " " + sandbox::kMarkVariable + "=" + m_mark + "\n");
        if (::geteuid() == 0) std::filesystem::create_directories("/run/sshd");
        m_daemon = sandbox::startDaemon({findProgram("sshd").value_or("sshd").string(), "-D", "-e", "-f",
                                         (m_folder / "sshd_config").string()},
                                        {{"PATH", "/usr/bin:/bin"}}, log());
        for (int tries = 0; !acceptsConnections(m_port); ++tries) {
            if (tries == 500) throw std::runtime_error("sshd: " + readFile(log()));
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    ~SshServer() { sandbox::killAll({{m_daemon}, m_mark, log(), m_folder}); }
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;

    int port() const { return m_port; }
    std::string name() const { return m_folder.filename().string(); }
    std::string hostKey() const { return publicKey(m_folder / "host_key"); }
    /// The line of known_hosts for it.
    std::string knownHost() const { return "[127.0.0.1]:" + std::to_string(m_port) + " " + hostKey() + "\n"; }
    std::filesystem::path log() const { return m_folder / "sshd.log"; }
    /// How many connections it let in.
    int signedIn() const {
        int count = 0;
        for (const auto& line : split(readFile(log()), '\n'))
            if (line.starts_with("Accepted ")) ++count;
        return count;
    }
    /// Ends the connections that it serves, as a reboot would.
    void killSessions() const {
        const auto children = runProcess({"ps", "-o", "pid=", "--ppid", std::to_string(m_daemon.pid)}).out;
        for (const auto& line : split(children, '\n'))
            if (const auto pid = trim(line); !pid.empty()) ::kill(std::stoi(std::string(pid)), SIGKILL);
    }

private:
    std::filesystem::path m_folder;
    std::string m_mark = newId();
    int m_port;
    sandbox::ProcessIdentity m_daemon;
};

}  // namespace dailies::remote::ssh
