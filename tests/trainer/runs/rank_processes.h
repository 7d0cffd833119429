#pragma once

#include "tests/trainer/runs/training_run.h"

#include <memory>
#include <vector>

namespace dailies::trainer {

/// Starts a run as so many ranks on this machine; rank i writes to output-i.txt.
std::vector<std::unique_ptr<TrainerProcess>> startRanks(const TrainingRun& run, int size);

/// The same, to its end: the worst exit status.
int trainOnRanks(const TrainingRun& run, int size);

}  // namespace dailies::trainer
