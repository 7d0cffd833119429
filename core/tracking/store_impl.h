#pragma once

#include "core/tracking/database.h"
#include "core/tracking/store.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

// What the store's source files share; nobody else includes this.
namespace dailies::tracking {

struct Store::Impl {
    Database database;
    bool hasOwnTables = true;  ///< false for a file of MLflow's own that was opened for reading only
};

/// A metric's value as MLflow's columns hold it. NaN is 0 with a flag (a bound NaN would become NULL);
/// infinity is the largest double.
struct StoredValue {
    double value = 0;
    int isNan = 0;
};

inline StoredValue toStored(double value) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    if (std::isnan(value)) return {0.0, 1};
    if (std::isinf(value)) return {value > 0 ? kLargest : -kLargest, 0};
    return {value, 0};
}

inline double fromStored(double value, bool isNan) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kLargest = std::numeric_limits<double>::max();
    if (isNan) return std::numeric_limits<double>::quiet_NaN();
    if (value >= kLargest) return kInfinity;
    if (value <= -kLargest) return -kInfinity;
    return value;
}

/// The ids as one value for `IN (SELECT value FROM json_each(?))`: one query however many there are.
std::string idList(const std::vector<std::string>& ids);

/// The URI of the folder of mirrored files beside the store, which MLflow takes for its artifacts: its own
/// pages list and play the clips of a run.
std::string filesUri(const std::filesystem::path& store);

/// Throws unless the run is in the store.
void requireRun(SQLite::Database& db, const std::string& runId);

void writeTag(SQLite::Database& db, const std::string& runId, const std::string& key,
              const std::string& value);

/// The id of the experiment of that name, made when there is none.
std::int64_t experimentId(SQLite::Database& db, const std::filesystem::path& store, const std::string& name);

/// Inserts a run with its params and tags unless its id exists.
void insertRun(SQLite::Database& db, const std::filesystem::path& store, const Run& run);

}  // namespace dailies::tracking
