#pragma once

#include "core/tracking/database.h"

#include <string>
#include <vector>

namespace dailies::tracking {

/// The SQL of MLflow's tables, and of each version of Dailies' own: entry n brings version n to n + 1
/// (resources/tracking/*.sql).
extern const char* const kMlflowTables;
extern const char* const kCurveTables;  ///< part of version 2, and all that a cache file of curves has
extern const std::vector<std::string> kDailiesMigrations;

/// Makes an empty file an MLflow database, refuses what is none and what a later MLflow than this program
/// knows made, and brings the `dailies_` tables up to date: a store whose tables are older is first copied to
/// FILE.before-v<N>. MLflow's own tables are never changed. Safe when several programs open the file at once.
void prepareForWriting(Database& database, const std::vector<std::string>& migrations = kDailiesMigrations);

/// Refuses a file that is no MLflow database. Returns the version of its `dailies_` tables as far as this
/// program can read them: 0 when it has none, as MLflow's own files, or newer ones.
int checkForReading(Database& database);

}  // namespace dailies::tracking
