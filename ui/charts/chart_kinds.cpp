#include "ui/charts/chart_panel.h"

namespace dailies::ui {

const std::vector<ChartKind>& chartKinds() {
    static const std::vector<ChartKind> kinds;
    return kinds;
}

}  // namespace dailies::ui
