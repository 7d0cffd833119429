#include "ui/charts/chart_panel.h"
#include "ui/charts/panels/plot_kinds.h"

namespace dailies::ui {

const std::vector<ChartKind>& chartKinds() {
    return plotKinds();
}

}  // namespace dailies::ui
