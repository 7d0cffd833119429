#pragma once

#include "core/base/json.h"
#include "core/tracking/store.h"

#include <string>
#include <vector>

namespace dailies::app {

/// `run_id, name, status, start_time, end_time, params{}, metrics{}, tags{}` with MLflow's meanings.
Json toJson(const tracking::Run& run);

/// Prints runs on standard output as "table", "json" or "csv". The table shows the params that differ and, of
/// the metrics, `metric` first when it is set, then those that a person looks at first.
void printRuns(const std::vector<tracking::Run>& runs, const std::string& format,
               const std::string& metric = {});

/// Sorts by MLflow's words: "metrics.loss ASC", "params.optimizer.lr", "start_time DESC". Runs without the
/// value come last. Throws `InputError` for other words.
void orderRuns(std::vector<tracking::Run>& runs, const std::string& orderBy);

}  // namespace dailies::app
