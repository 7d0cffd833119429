#include "ui/charts/chart_panel.h"
#include "ui/plots/plot_kinds.h"

namespace dailies::ui {

const std::vector<ChartKind>& chartKinds() {
    return plotKinds();
}

}  // namespace dailies::ui
