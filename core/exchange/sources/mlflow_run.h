#pragma once

#include "core/exchange/sources/sources.h"

#include <string>
#include <string_view>

// What MLflow's database and its folders have in common.
namespace dailies::exchange {

tracking::RunStatus mlflowStatus(std::string_view text);

/// Gives the run its id and name once its tags are known. A run that was published from a Dailies store comes
/// back as itself; an id that is not in MLflow's form (the API takes any) becomes a derived one.
void resolveMlflowRun(tracking::Run& run, const std::string& sourceId);

/// The file store's part: folders of runs, with what its root keeps beside them.
void readMlflowFolders(const std::filesystem::path& root, const Places& runFolders, ImportSink& sink);

}  // namespace dailies::exchange
