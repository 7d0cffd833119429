#pragma once

#include <string>

namespace dailies::trainer {

/// Turns SIGTERM (scancel, preemption), SIGUSR1 (sbatch --signal, before the time limit) and SIGINT into a
/// wish that the loop reads between steps. Signals that a full disk or a closed terminal would send are
/// ignored: the failed write is reported.
void installStopSignals();

bool stopRequested();

/// "SIGTERM" …; empty when none came.
std::string stopSignalName();

}  // namespace dailies::trainer
