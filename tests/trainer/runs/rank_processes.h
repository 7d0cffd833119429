#pragma once

#include "tests/trainer/runs/training_run.h"

#include <functional>
#include <memory>
#include <vector>

namespace dailies::trainer {

/// What tells a process which of so many ranks it is, and where they meet.
TrainerProcess::Variables variablesOfRank(int rank, int size, int port);

/// Starts a run as so many ranks on this machine; rank i writes to output-i.txt.
std::vector<std::unique_ptr<TrainerProcess>> startRanks(const TrainingRun& run, int size);

/// Starts dailies-train with these words as so many ranks on this machine; rank i writes to output-i.txt in
/// the folder. `ofRank`: further variables of each. `fileLimitOfLast`: the largest file that the last rank
/// may write, 0 for any.
std::vector<std::unique_ptr<TrainerProcess>> startRanks(
    const std::vector<std::string>& words, const std::filesystem::path& folder, int size,
    const std::function<TrainerProcess::Variables(int rank)>& ofRank = {}, std::int64_t fileLimitOfLast = 0);

/// A run on such ranks, to its end: the worst exit status.
int trainOnRanks(const TrainingRun& run, int size);

}  // namespace dailies::trainer
