#pragma once

#include "core/base/json.h"
#include "trainer/runtime/run_log.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <thread>

namespace dailies::trainer {

// What curate, caption, score-clips and shard share as tasks of a cluster's job, and for a person.

/// Says when it is time to tell of progress again: every few seconds. One thread at a time.
class Pacer {
public:
    bool isDue() const { return seconds() >= kEverySeconds; }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - m_last).count(); }
    void restart() { m_last = Clock::now(); }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double kEverySeconds = 5;
    Clock::time_point m_last = Clock::now();
};

/// What such a task tells of itself in its run's events.jsonl. One thread at a time.
class DatasetTask {
public:
    explicit DatasetTask(const std::filesystem::path& runFolder) : m_log(runFolder, true) {}

    void begin(Json facts);
    void warn(const std::string& text) { m_log.append(events::Message{"warning", text}); }
    void tell(const std::string& text) { m_log.append(events::Message{"info", text}); }
    /// Whether it is time for another `count`.
    bool isDue() const { return m_pacer.isDue(); }
    double secondsSinceCount() const { return m_pacer.seconds(); }
    void count(std::int64_t step, std::map<std::string, double> values);
    void end(const std::string& status, const std::string& why);

private:
    RunLog m_log;
    std::int64_t m_step = 0;
    Pacer m_pacer;
};

/// How a task ended.
struct TaskEnd {
    std::string summary;       ///< for a person
    std::string failure = {};  ///< why all of it failed; empty: it did not
};

/// Runs the task whose job is `jobFile`, in its run's folder: `begin`, `work`, and how it ended. `facts`: of
/// its start. `kept`: what a stop leaves, for its message. Returns the exit status.
int runDatasetTask(const std::string& verb, const std::filesystem::path& jobFile, const Json& facts,
                   const std::string& kept, const std::function<TaskEnd(DatasetTask&)>& work);

/// Runs the same for a person: prints the summary, or that it was stopped.
int runDatasetVerb(const std::string& verb, const std::string& kept, const std::function<TaskEnd()>& work);

/// Requests a stop, from another thread, once a stop signal has come.
class StopOnSignal {
public:
    StopOnSignal();
    std::stop_token token() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
    std::jthread m_watcher;
};

}  // namespace dailies::trainer
