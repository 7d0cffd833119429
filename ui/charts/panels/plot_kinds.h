#pragma once

#include "ui/charts/chart_panel.h"

#include <vector>

namespace dailies::ui {

/// The kinds of panel in this folder, in the order of the menu.
const std::vector<ChartKind>& plotKinds();

}  // namespace dailies::ui
