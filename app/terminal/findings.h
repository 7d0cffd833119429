#pragma once

#include "core/base/json.h"
#include "remote/diagnostics/cluster_check.h"

#include <vector>

namespace dailies::app {

/// One finding as a line of standard output, its remedy on a line below.
void printFinding(const remote::ClusterFinding& finding);

Json toJson(const std::vector<remote::ClusterFinding>& findings);

}  // namespace dailies::app
