#pragma once

#include "core/exchange/progress.h"
#include "core/tracking/store.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::exchange {

/// What runs can be read from.
enum class SourceKind {
    Mlflow,       ///< an SQLite file of MLflow's (or of Dailies'), or a folder of its file store ("mlruns")
    TensorBoard,  ///< event files: each folder that holds some is a run
    Wandb,        ///< W&B offline runs: `*.wandb` files, or run folders with wandb-history.jsonl
    Csv,          ///< a step column and metric columns, perhaps run; or long form: run, key, step, value
};
std::string_view toText(SourceKind kind);                     ///< "mlflow", "tensorboard", "wandb", "csv"
std::string_view displayName(SourceKind kind);                ///< "MLflow", "TensorBoard", "W&B", "CSV"
std::optional<SourceKind> sourceKind(std::string_view text);  ///< from `toText`

/// What one tracker left at a path.
struct FoundSource {
    SourceKind kind = SourceKind::Mlflow;
    std::vector<std::filesystem::path> places;  ///< files, or folders of runs
    std::string what;                           ///< for a person: "1 database, 12 run folders"
};

struct FoundSources {
    std::vector<FoundSource> sources;  ///< in the order of the kinds, none of them empty
    std::vector<SkippedItem> skipped;  ///< what looks like runs and is not read
};

/// What the file, or the folder with everything below it, holds of each tracker, found from content. What
/// lies inside of a run of MLflow or W&B belongs to that run; links to folders are not followed. Of CSV files
/// beside other trackers' runs only those with a step column count, unless `kinds` asks for CSV by name.
/// `except` is passed over: the store that is imported into. Reads the folders' lists and files' beginnings.
/// `InputError` when there is nothing at `path` or it is the store itself; `Cancelled` when stopped.
FoundSources findSources(const std::filesystem::path& path, const std::vector<SourceKind>& kinds = {},
                         const std::filesystem::path& except = {}, std::stop_token stop = {});

struct ImportOptions {
    std::vector<SourceKind> kinds{};  ///< only these; empty: all that is found
    std::string experiment{};         ///< empty: as the source has it, else the name of the file or folder
};

/// What became of one tracker's runs.
struct ImportedSource {
    SourceKind kind = SourceKind::Mlflow;
    std::string what;  ///< as FoundSource has it
    std::int64_t runsAdded = 0;
    std::int64_t runsExtended = 0;   ///< were here already and have more points, params, tags or an end now
    std::int64_t runsUnchanged = 0;  ///< were here already, nothing new
    std::int64_t pointsAdded = 0;

    std::int64_t runs() const { return runsAdded + runsExtended + runsUnchanged; }
};

struct ImportSummary {
    std::vector<ImportedSource> sources;
    std::vector<std::string> notes;  ///< sentences: what came in otherwise than its source has it
    std::vector<SkippedItem> skipped;

    ImportedSource total() const;  ///< the sums; its kind and words mean nothing
};

/// Reads runs of other trackers into the store. Each run comes in whole or not at all, in one transaction;
/// importing the same again adds nothing twice and picks up what is new. Run ids are the source's where it
/// has such (MLflow), else derived from what makes a run itself: W&B's entity, project and run id; the first
/// event file of a TensorBoard folder; the place of a CSV file. The source is only read.
///
/// Blocking; may take minutes. `InputError` when there is nothing to import at `path`, `Error` when it cannot
/// be read or the store cannot be written; damage inside a file is no error: what is readable comes in and
/// the summary says what does not. `Cancelled` when stopped; the runs that are in stay. A large
/// run's writing stops, too, where the store was told so (tracking::interruptOnStop).
ImportSummary importFrom(tracking::Store& store, const std::filesystem::path& path,
                         const ImportOptions& options = {}, const ProgressHandler& progress = {},
                         std::stop_token stop = {});

}  // namespace dailies::exchange
