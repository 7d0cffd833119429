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
    TensorBoard,  ///< event files, or a folder of them: each folder that holds some is a run
    Wandb,        ///< W&B offline runs: `*.wandb` files, or run folders with wandb-history.jsonl
    Csv,          ///< a run a file (a step column and metric columns), or long form: run, key, step, value
};
std::string_view toText(SourceKind kind);                     ///< "mlflow", "tensorboard", "wandb", "csv"
std::optional<SourceKind> sourceKind(std::string_view text);  ///< the other way

/// What the file, or the folder with everything below it, holds, found from content; nothing when it is none
/// of them. A folder that holds several kinds counts as the first of them in the order above.
std::optional<SourceKind> detectSource(const std::filesystem::path& path);

struct ImportOptions {
    std::optional<SourceKind> kind{};  ///< nothing: detected
    std::string experiment{};          ///< empty: as the source has it, else the name of the file or folder
};

struct ImportSummary {
    SourceKind kind = SourceKind::Mlflow;
    std::int64_t runsAdded = 0;
    std::int64_t runsExtended = 0;   ///< were here already and have more points, params, tags or an end now
    std::int64_t runsUnchanged = 0;  ///< were here already, nothing new
    std::int64_t pointsAdded = 0;
    std::vector<LeftOut> leftOut;
};

/// Reads runs of another tracker into the store. Each run comes in whole or not at all, in one transaction;
/// importing the same again adds nothing twice and picks up what is new. Run ids are the source's where it
/// has such (MLflow), else derived from what makes a run itself: W&B's entity, project and run id; the first
/// event file of a TensorBoard folder; the place of a CSV file. The source is only read.
///
/// Blocking; may take minutes. `InputError` when there is nothing to import at `path`, `Error` when it cannot
/// be read or the store cannot be written; damage inside a file is no error: what is readable comes in and
/// the summary says what does not. `Cancelled` when stopped; the runs that are in stay.
ImportSummary importFrom(tracking::Store& store, const std::filesystem::path& path,
                         const ImportOptions& options = {}, const ProgressHandler& progress = {},
                         std::stop_token stop = {});

}  // namespace dailies::exchange
