#pragma once

#include "core/base/files.h"
#include "core/base/json.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

namespace dailies::remote::ssh {

/// While one lives, a sandbox's sshd goes by this configuration.
class ChangedSshd {
public:
    ChangedSshd(std::filesystem::path sandbox, const std::string& config)
        : m_sandbox(std::move(sandbox)), m_config(configOf(m_sandbox)) {
        restartWith(config);
    }
    ~ChangedSshd() { restartWith(m_config); }
    ChangedSshd(const ChangedSshd&) = delete;
    ChangedSshd& operator=(const ChangedSshd&) = delete;

    static std::string configOf(const std::filesystem::path& sandbox) {
        return readFile(sandbox / "sshd_config");
    }

private:
    /// On SIGHUP sshd starts itself anew with what its file says now.
    void restartWith(const std::string& config) const {
        const auto before = startsOfSshd();
        writeFileAtomically(m_sandbox / "sshd_config", config);
        const auto state = parseJson(readFile(m_sandbox / "sandbox.json"), "sandbox.json");
        for (const auto& daemon : state.at("daemons"))
            if (daemon.at("name") == "sshd") ::kill(daemon.at("pid"), SIGHUP);
        for (int tries = 0; tries < 200 && startsOfSshd() == before; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    std::size_t startsOfSshd() const {
        const auto log = readFile(m_sandbox / "log" / "sshd.log");
        std::size_t count = 0;
        for (std::size_t at = 0; (at = log.find("Server listening", at)) != std::string::npos; ++at) ++count;
        return count;
    }

    std::filesystem::path m_sandbox;
    std::string m_config;
};

}  // namespace dailies::remote::ssh
