#pragma once

#include "core/base/files.h"
#include "core/events/event.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace dailies::trainer {

/// The real dailies-train as a child process.
class TrainerProcess {
public:
    using Variables = std::map<std::string, std::string>;

    /// `fileLimit`: the largest file that it may write, 0 for any.
    TrainerProcess(const std::vector<std::string>& words, const std::filesystem::path& output,
                   const Variables& variables = {}, std::int64_t fileLimit = 0);
    ~TrainerProcess();
    TrainerProcess(const TrainerProcess&) = delete;
    TrainerProcess& operator=(const TrainerProcess&) = delete;

    void signal(int number) const;
    int wait();  ///< the exit status, or 128 + the signal that ended it

private:
    pid_t m_pid = -1;
};

/// A run directory with a tiny model that trains in about a second.
class TrainingRun {
public:
    /// `changes`: keys to values, on top of the tiny configuration.
    explicit TrainingRun(const Json& changes = Json::object());

    const std::filesystem::path& path() const { return m_folder.path(); }
    void configure(const Json& changes);

    TrainerProcess start(const TrainerProcess::Variables& variables = {}, std::int64_t fileLimit = 0) const;
    int train(const TrainerProcess::Variables& variables = {}, std::int64_t fileLimit = 0) const;

    std::vector<events::Event> events() const;
    template <class Payload>
    std::vector<Payload> all() const {
        std::vector<Payload> found;
        for (const auto& event : events())
            if (const auto* payload = std::get_if<Payload>(&event.payload)) found.push_back(*payload);
        return found;
    }

    /// Step → value as the tracking store would hold it: what a resumption retracts is gone.
    std::map<std::int64_t, double> metric(const std::string& name) const;

    std::string output() const;  ///< standard error of all attempts
    bool waitForStep(std::int64_t step, std::chrono::seconds patience = std::chrono::seconds(30)) const;

private:
    TemporaryFolder m_folder;
    Json m_config;
};

/// The largest difference of any colour of two clips; 256 for clips of different lengths.
int furthestApart(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace dailies::trainer
