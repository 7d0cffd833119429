#pragma once

#include "core/log/log_file.h"
#include "core/log/redactor.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <spdlog/sinks/base_sink.h>
#include <string>
#include <vector>

namespace dailies::log {

/// Writes lines to a file that other programs write, too, and begins a new one when it is full: a lock beside
/// it keeps them apart, so that no line is torn or lost. Secrets are taken out, and a text is made one line.
/// What cannot be written is left out; standard error is told so once. Used by the log's thread alone, but
/// for `waitForFlush`.
class RotatingSink : public spdlog::sinks::base_sink<std::mutex> {
public:
    RotatingSink(LogFile file, std::vector<std::string> secrets);
    ~RotatingSink() override;

    /// Waits until the thread has come to so many requests to flush, for as long as `limit`; how many it has
    /// come to. From any thread.
    std::uint64_t waitForFlush(std::uint64_t count, std::chrono::milliseconds limit);

protected:
    void sink_it_(const spdlog::details::log_msg& message) override;
    void flush_() override;

private:
    using Clock = std::chrono::steady_clock;

    void append(std::string_view line);
    bool lock();
    bool openFile();
    bool isCurrent() const;  ///< no other program has begun a new file meanwhile
    void rotate();
    void report(int error);

    LogFile m_file;
    std::vector<std::string> m_secrets;
    std::optional<Redactor> m_redactor;  ///< from the first line on: it takes a moment to make
    int m_descriptor = -1, m_lock = -1;
    Clock::time_point m_lockAgain{};  ///< after one that could not be had
    bool m_reported = false;

    std::mutex m_flushMutex;
    std::condition_variable m_flushed;
    std::uint64_t m_flushes = 0;
};

}  // namespace dailies::log
