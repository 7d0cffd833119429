#pragma once

#include "core/tracking/database.h"
#include "core/tracking/store.h"

#include <string>
#include <vector>

namespace dailies::tracking {

/// The runs for which `where` holds (of `r`, runs, and `e`, experiments; ?1 is `argument`), newest first,
/// with their params, tags and latest metrics: four queries however many runs there are.
std::vector<Run> readRuns(Database& database, const std::string& where, const std::string& argument = {});

/// As readRuns, for most of the runs of a file with many: reads the tables from end to end and not run by
/// run, half of them on a second thread through `helper`, another connection to the same file, which shows
/// the same state.
std::vector<Run> readMostRuns(Database& database, Database& helper, const std::string& where);

}  // namespace dailies::tracking
