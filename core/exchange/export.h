#pragma once

#include "core/base/csv.h"
#include "core/exchange/progress.h"
#include "core/tracking/store.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::exchange {

enum class ExportTable {
    Runs,     ///< a line a run: run_id, name, experiment, status, start_time, end_time, params.*, metrics.*,
              ///< tags.*
    Metrics,  ///< a line a point: run_id, run_name, key, step, timestamp, value; by run, key, step
};

enum class ExportFormat {
    Csv,   ///< RFC 4180: CRLF line ends, quotes where needed; UTF-8
    Json,  ///< a list of objects, one a line; params, metrics and tags are objects in those of runs
};

struct ExportOptions {
    ExportFormat format = ExportFormat::Csv;
    CsvEscaping text = CsvEscaping::EscapeFormulas;
    bool shortNames =
        false;  ///< columns of a CSV of runs: "lr" for "params.optimizer.lr", where no two are alike
};

struct ExportSummary {
    std::filesystem::path file;
    std::int64_t runs = 0, points = 0;
};

/// The file that a target means: itself, or runs.csv, metrics.csv, runs.json or metrics.json in a folder.
std::filesystem::path exportFile(const std::filesystem::path& target, ExportTable table,
                                 ExportFormat format = ExportFormat::Csv);

/// Writes the runs' table or their points. Times are milliseconds since 1970; numbers are the shortest that
/// read back as the same double; missing is empty, not-a-number is NaN, infinity is Infinity or -Infinity (in
/// JSON as texts). `target` is as `exportFile` has it. The file appears whole or not at all; one that is
/// there is replaced. Points are streamed: memory does not grow with their number. Blocking; `Error` when the
/// file cannot be written, `Cancelled` when stopped.
ExportSummary exportRuns(const tracking::Store& store, const std::vector<tracking::Run>& runs,
                         ExportTable table, const std::filesystem::path& target,
                         const ExportOptions& options = {}, const ProgressHandler& progress = {},
                         std::stop_token stop = {});

}  // namespace dailies::exchange
