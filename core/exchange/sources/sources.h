#pragma once

#include "core/exchange/intake.h"

#include <filesystem>

// The readers, one a kind of source. Each hands every run it finds to the intake, one at a time, and returns
// how many it found. Damage is told to the intake; `Error` when the source as a whole cannot be read.
namespace dailies::exchange {

bool isMlflowFile(const std::filesystem::path& file);
std::int64_t readMlflowFile(const std::filesystem::path& file, Intake& intake);

bool holdsMlflowRuns(const std::filesystem::path& folder);
std::int64_t readMlflowFolder(const std::filesystem::path& folder, Intake& intake);

bool isEventFile(const std::filesystem::path& file);
std::int64_t readTensorBoard(const std::filesystem::path& fileOrFolder, Intake& intake);

bool isWandbFile(const std::filesystem::path& file);
/// Whether the folder is that of a run from a client that wrote readable files.
bool isWandbRunFolder(const std::filesystem::path& folder);
std::int64_t readWandb(const std::filesystem::path& fileOrFolder, Intake& intake);

bool isCsvFile(const std::filesystem::path& file);
std::int64_t readCsv(const std::filesystem::path& fileOrFolder, Intake& intake);

/// The files below `folder` for which `wanted` holds, sorted by path; the file itself when it is one. Links
/// to folders are not followed: W&B's latest-run is a second name, not a second run.
std::vector<std::filesystem::path> filesBelow(const std::filesystem::path& fileOrFolder,
                                              bool (*wanted)(const std::filesystem::path&));

}  // namespace dailies::exchange
