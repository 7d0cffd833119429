#pragma once

#include "core/tracking/database.h"

#include <string>
#include <vector>

namespace dailies::tracking {

/// The SQL of MLflow's tables, and of each version of Dailies' own: entry n brings version n to n + 1
/// (resources/tracking/*.sql).
extern const char* const kMlflowTables;
extern const std::vector<std::string> kDailiesMigrations;

/// Makes an empty file an MLflow database, refuses what is none, and brings the `dailies_` tables up to date:
/// a store whose tables are older is first copied to FILE.before-v<N>. Safe when several programs open the
/// file at once.
void prepareForWriting(Database& database, const std::vector<std::string>& migrations = kDailiesMigrations);

/// Refuses a file that is no MLflow database, or whose `dailies_` tables are of another version than this
/// program's. Returns whether it has any: MLflow's own files have none.
bool checkForReading(Database& database);

}  // namespace dailies::tracking
