#pragma once

#include "core/planner/layout_search.h"

#include <string>

namespace dailies::trainer {

/// What `dailies-train plan --nodes` prints: what is known of the machines, advice, and the ten fastest
/// layouts that fit, best first, the configuration's own marked (below them where it is none of them).
std::string layoutTable(const planner::LayoutCandidates& choices, const planner::LayoutQuestion& question);

/// All choices, with every part of their steps.
Json layoutsToJson(const planner::LayoutCandidates& choices, const planner::LayoutQuestion& question);

}  // namespace dailies::trainer
