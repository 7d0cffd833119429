#pragma once

#include "core/base/files.h"
#include "core/events/event.h"
#include "tests/trainer/runs/trainer_process.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dailies::trainer {

/// A run directory with a tiny model that trains in about a second.
class TrainingRun {
public:
    /// `changes`: keys to values, on top of the tiny configuration.
    explicit TrainingRun(const Json& changes = Json::object());

    const std::filesystem::path& path() const { return m_folder.path(); }
    void configure(const Json& changes);

    TrainerProcess start(const TrainerProcess::Variables& variables = {}, std::int64_t fileLimit = 0) const;
    int train(const TrainerProcess::Variables& variables = {}, std::int64_t fileLimit = 0) const;
    int train(TrainerProcess::LibTorch libtorch) const;

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

/// Trains `whole`, which has this configuration, at once, and another run of it to half of its steps and then
/// on from there: expects the same losses of both.
void expectResumesAsIfItHadNotStopped(const TrainingRun& whole, const Json& config);

/// The largest difference of any colour of two clips; 256 for clips of different lengths.
int furthestApart(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace dailies::trainer
