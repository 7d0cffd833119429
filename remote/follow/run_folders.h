#pragma once

#include <string>
#include <vector>

namespace dailies::remote {

/// Which folders below one that somebody watches are runs, by the paths (relative to it, '/' between names)
/// of its trackers' files, logs and videos. A run is the folder in which a tracker writes, without the names
/// that trackers themselves give such folders ("exp1/tensorboard/events…" is exp1's); where a tracker's own
/// folder
/// ("exp1/wandb", "exp1/lightning_logs") holds a single run, that is exp1, too. Logs are a run's by
/// themselves only where no tracker writes above or below them, and videos never. "": the watched folder
/// itself. Sorted, each once. Pure.
std::vector<std::string> runFolders(const std::vector<std::string>& paths);

/// Whether the folder is one of MLflow's file store, which is recognized by its name.
bool isMlflowRun(const std::string& folder);

}  // namespace dailies::remote
