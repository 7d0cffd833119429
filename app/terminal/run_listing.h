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

/// Keeps the runs of a sweep: its name, or the beginning of its id; all where it is empty.
void filterBySweep(std::vector<tracking::Run>& runs, const std::string& sweep);

/// Keeps the runs for which a filter holds (core/query/query.h) and says on standard error which of its keys
/// no run has. Throws `InputError` that shows where the filter is wrong.
void filterRuns(std::vector<tracking::Run>& runs, const std::string& text);

/// Sorts by MLflow's options: "metrics.loss DESC, start_time"; leaves the order as it is where there are
/// none. Throws `InputError` that shows where they are wrong.
void orderRuns(std::vector<tracking::Run>& runs, const std::string& text);

}  // namespace dailies::app
