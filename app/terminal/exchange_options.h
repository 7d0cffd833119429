#pragma once

#include "core/base/json.h"
#include "core/exchange/progress.h"
#include "core/tracking/store.h"

#include <string>
#include <vector>

// What `import`, `export` and `publish` have in common.
namespace dailies::app {

/// The runs that a person means: one (id, its beginning, or its name), or all of an experiment; neither =
/// all. Throws `InputError` when there is none such, or both were given.
std::vector<tracking::Run> chooseRuns(const tracking::Store& store, const std::string& run,
                                      const std::string& experiment);

/// A line for each thing that did not travel, on standard error.
void printLeftOut(const std::vector<exchange::SkippedItem>& skipped);
Json toJson(const std::vector<exchange::SkippedItem>& skipped);

}  // namespace dailies::app
