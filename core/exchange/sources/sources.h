#pragma once

#include "core/exchange/import_sink.h"

#include <filesystem>
#include <vector>

// The readers, one a kind of source. Each hands every run it finds in `places` to the sink, one at a time;
// `root` is the file or folder that was asked for, by which runs are named. Damage is told to the sink;
// with several places one that cannot be read is told, too, and a single one throws `Error`.
namespace dailies::exchange {

using Places = std::vector<std::filesystem::path>;

bool isSqliteFile(const std::filesystem::path& file);
/// Whether the folder is that of a run in MLflow's file store.
bool isMlflowRunFolder(const std::filesystem::path& folder);
void readMlflow(const std::filesystem::path& root, const Places& places, ImportSink& sink);

bool isEventFile(const std::filesystem::path& file);
void readTensorBoard(const std::filesystem::path& root, const Places& files, ImportSink& sink);

bool isWandbFile(const std::filesystem::path& file);
/// Whether the folder is that of a run from a client that wrote readable files.
bool isWandbRunFolder(const std::filesystem::path& folder);
void readWandb(const std::filesystem::path& root, const Places& places, ImportSink& sink);

bool isCsvFile(const std::filesystem::path& file);
/// Whether its header has a step column, or is that of points a line.
bool hasStepColumn(const std::filesystem::path& csvFile);
void readCsv(const std::filesystem::path& root, const Places& files, ImportSink& sink);

}  // namespace dailies::exchange
