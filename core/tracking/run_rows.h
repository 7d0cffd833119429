#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

// What those need who write rows of runs inside of a transaction of `Store::database()`.
namespace dailies::tracking {

/// The ids as one value for `IN (SELECT value FROM json_each(?))`: one query however many there are.
std::string idList(const std::vector<std::string>& ids);

/// Throws unless the run is in the store.
void requireRun(SQLite::Database& db, const std::string& runId);

void writeTag(SQLite::Database& db, const std::string& runId, const std::string& key,
              const std::string& value);
void removeTag(SQLite::Database& db, const std::vector<std::string>& runIds, const std::string& key);

}  // namespace dailies::tracking
