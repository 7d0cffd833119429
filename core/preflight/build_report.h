#pragma once

#include "core/preflight/report.h"

#include <string>
#include <vector>

namespace dailies::preflight {

/// What the parts of the ranks say of the nodes, each against the median of all. `expected`: the job's nodes
/// in their order; one of them without a part never answered, one whose part ends early stopped answering. A
/// node from which or to which there is no way is found by pairs: the one that fails with most others is bad.
/// `time`, `seconds` and `job` of the report are left for the caller. Pure.
Report buildReport(const std::vector<RankReport>& parts, const std::vector<std::string>& expected);

}  // namespace dailies::preflight
