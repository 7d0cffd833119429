#pragma once

#include "trainer/mirror/run_mirror.h"
#include "trainer/runtime/run_log.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace dailies::trainer {

/// A run whose folder is copied to a bucket (RunMirror) while it trains: with every checkpoint and at its
/// end. What the bucket refuses then is said in the run's log and tried again, and never stops the run.
class MirroredRun {
public:
    MirroredRun() = default;
    MirroredRun(const MirroredRun&) = delete;
    MirroredRun& operator=(const MirroredRun&) = delete;

    /// Finds the copy, and restores the folder from it where that has no checkpoint: before the log of the
    /// run is opened, which comes down, too. An empty `url`: the run is not copied. Throws `Error` where the
    /// bucket cannot be read or written: a run should not find out after hours.
    void open(const std::string& url, const std::filesystem::path& runFolder);

    /// Begins to copy from a thread of its own. Nothing where none was opened.
    void start(RunLog& log);

    /// Copies the rest, closes the log with `end` and copies that. Without a copy only the log is closed.
    void finish(RunLog& log, events::End end);

private:
    void watch(RunLog& log, const std::stop_token& stop);
    void copy(RunLog& log);

    std::unique_ptr<RunMirror> m_mirror;  ///< null: not copied
    std::optional<std::int64_t> m_restoredStep;
    std::string m_failure;  ///< of the newest copy; empty: it is whole
    std::jthread m_thread;  ///< the last member: ends first
};

}  // namespace dailies::trainer
