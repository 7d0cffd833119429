#pragma once

#include "core/planner/layout_search.h"

#include <QString>

namespace dailies::ui {

/// A layout, what it needs and where its step's time goes, a line each.
QString hoverText(const planner::LayoutCandidate& choice);

/// "12,300": with three digits that count.
QString roundText(double number);

/// "13 min", "4.2 h", "12 days".
QString hoursText(double hours);

}  // namespace dailies::ui
