#pragma once

#include "core/tracking/store.h"

#include <string>
#include <string_view>

// What MLflow's database and its folders have in common.
namespace dailies::exchange {

tracking::RunStatus mlflowStatus(std::string_view text);

/// Gives the run its id and name once its tags are known. A run that was published from a Dailies store comes
/// back as itself; an id that is not in MLflow's form (the API takes any) becomes a derived one.
void settleMlflowRun(tracking::Run& run, const std::string& sourceId);

}  // namespace dailies::exchange
