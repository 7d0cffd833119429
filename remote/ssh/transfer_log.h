#pragma once

#include "remote/ssh/session.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace dailies::remote::ssh {

/// Says in the log what was carried, how much of it and in what time, or that it broke off: once, at its end,
/// on the thread that made it.
class TransferLog {
public:
    /// `what`: "download of …/clip.mp4". `progress`: told of all that this one hears.
    TransferLog(std::string what, const Session::TransferProgress& progress);
    ~TransferLog();
    TransferLog(const TransferLog&) = delete;
    TransferLog& operator=(const TransferLog&) = delete;

    /// To be given to the transfer; valid as long as this lives.
    Session::TransferProgress progress();

private:
    std::string m_what;
    const Session::TransferProgress& m_progress;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    int m_exceptions = std::uncaught_exceptions();
    std::optional<std::uint64_t> m_first;  ///< what was there from an earlier try
    std::uint64_t m_done = 0;
};

}  // namespace dailies::remote::ssh
