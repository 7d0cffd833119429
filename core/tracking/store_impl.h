#pragma once

#include "core/base/files.h"
#include "core/tracking/database.h"
#include "core/tracking/run_rows.h"
#include "core/tracking/store.h"
#include "core/tracking/stored_value.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>
#include <vector>

// What the store's source files share; nobody else includes this.
namespace dailies::tracking {

/// MLflow's column; a database that counts would refuse more.
inline constexpr std::size_t kMaxArtifactUri = 200;

struct Store::Impl {
    Impl(const std::filesystem::path& file, Mode mode);

    Database database;
    bool readOnly;
    int ownVersion = 0;                      ///< of the dailies_ tables; 0: there are none
    std::optional<TemporaryFolder> scratch;  ///< of `cache`, where the user has no folder for caches
    std::optional<Database> cache;           ///< of curves, opened when the file itself has none to rely on

    std::optional<Database> helper;  ///< a second connection, for reading with two threads

    bool hasOwnTables() const { return ownVersion >= 1; }
    bool hasOwnCurves() const { return ownVersion >= 2; }
    bool hasChecks() const { return ownVersion >= 4; }
    bool hasScores() const { return ownVersion >= 5; }
    bool hasSources() const { return ownVersion >= 7; }
    bool hasClipInputs() const { return ownVersion >= 8; }

    Database& curveCache();
};

/// Adds points that other programs wrote to the curves' copy; inside a transaction, before and after writing
/// points.
void catchUpCurves(Database& database);

/// The URI of the folder of mirrored files beside the store, which MLflow takes for its artifacts: its own
/// pages list and play the clips of a run.
std::string artifactRootUri(const std::filesystem::path& store);

/// The clip of this path is another one now: what was found in the one before says nothing of it.
void forgetChecks(SQLite::Database& db, const std::string& runId, const std::string& path);

/// What a clip was made from and what is known of its frames, in place of what was known before.
void putClipInputs(StatementCache& statements, const std::string& runId, const events::Clip& clip);

/// Forgets all of that, likewise.
void forgetClipInputs(SQLite::Database& db, const std::string& runId, const std::string& path);

/// What `readClips` reads of dailies_clips c.
inline constexpr const char* kClipColumns =
    "c.run_uuid, c.step, c.prompt, c.seed, c.path, c.frames, c.height, c.width, c.fps, c.adherence, "
    "c.local_path";
std::vector<ClipRecord> readClips(SQLite::Statement& query);

/// The id of the experiment of that name, made when there is none.
std::int64_t experimentId(SQLite::Database& db, const std::filesystem::path& store, const std::string& name);

/// Inserts a run with its params and tags unless its id exists.
void insertRun(SQLite::Database& db, const std::filesystem::path& store, const Run& run);

}  // namespace dailies::tracking
