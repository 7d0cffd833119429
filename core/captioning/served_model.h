#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace dailies::captioning {

/// A server that a command runs for as long as this lives. "${port}" in the command and in the URL is a port
/// of this machine that was free.
class ServedModel {
public:
    /// Starts it. What it prints goes to `log`.
    ServedModel(const std::string& command, const std::string& url, std::filesystem::path log);
    ~ServedModel();  ///< ends it, and what it started

    const std::string& url() const { return m_url; }

    /// Returns when it answers. Throws `Error` with the last lines of its log where it ends before, or does
    /// not answer for so long, and `Cancelled`.
    void waitUntilReady(std::chrono::seconds atMost, const std::stop_token& stop);

    /// Why it ended; nothing while it runs. Any thread.
    std::optional<std::string> endReason() const;

private:
    std::string lastLines() const;

    std::string m_command, m_url;
    std::filesystem::path m_log;
    mutable std::mutex m_mutex;  ///< of what follows
    std::optional<std::string> m_end;
    std::jthread m_process;
};

}  // namespace dailies::captioning
