#pragma once

#include "core/events/event_log.h"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace dailies::trainer {

/// The run's events.jsonl as the training loop sees it: appending never throws. What the disk refuses is kept
/// (the newest `kBacklog` events), announced once on standard error, and tried again before the next event.
/// Ranks other than the leader log nothing. Any thread may append.
class RunLog {
public:
    static constexpr std::size_t kBacklog = 1000;

    /// Throws `Error` when the file cannot be opened at all: such a run could not be followed.
    RunLog(const std::filesystem::path& runFolder, bool isRank0);

    void append(events::Payload payload);

    /// Nothing is appended any more: the run is over, whatever its loop still does.
    void close();

    /// The newest value of every metric that was appended; for the thread that appends them.
    const std::map<std::string, double>& newestMetrics() const { return m_newestMetrics; }

private:
    std::unique_ptr<events::EventLogWriter> m_writer;  ///< null on ranks that do not lead
    std::deque<events::Payload> m_waiting;
    bool m_failing = false;
    std::map<std::string, double> m_newestMetrics;
    std::mutex m_mutex;
};

}  // namespace dailies::trainer
