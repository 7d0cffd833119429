#pragma once

#include "core/sources/source.h"

// What the registry lists: one function a source, from the file of that name.
namespace dailies::sources {

const Source& dailiesEvents();
const Source& tensorBoard();
const Source& jsonLines();
const Source& programOutput();
const Source& wandbRuns();
const Source& lightningCsv();
const Source& mlflowFiles();
const Source& mlflowDatabase();
const Source& trainerState();

/// Whether rows of the file are read, and counted by its cursor, and not bytes.
bool isMlflowDatabase(std::string_view path);

}  // namespace dailies::sources
