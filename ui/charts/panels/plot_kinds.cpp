#include "ui/charts/panels/plot_kinds.h"

#include "ui/charts/panels/bars_panel.h"
#include "ui/charts/panels/importance_panel.h"
#include "ui/charts/panels/parallel_panel.h"
#include "ui/charts/panels/scatter_panel.h"

namespace dailies::ui {

namespace {

template <typename Panel>
ChartPanel* make(QWidget* parent) {
    return new Panel(parent);
}

}  // namespace

const std::vector<ChartKind>& plotKinds() {
    static const std::vector<ChartKind> kinds{
        {"parallel", QStringLiteral("Parallel coordinates"),
         QStringLiteral("Which combinations of params led to good results?"), &make<ParallelPanel>},
        {"scatter", QStringLiteral("Scatter and contour"),
         QStringLiteral("How do two values go together, and what does a third say?"), &make<ScatterPanel>},
        {"importance", QStringLiteral("Parameter importance"),
         QStringLiteral("Which params mattered to a metric, and how sure is that?"), &make<ImportancePanel>},
        {"bars", QStringLiteral("Bars"), QStringLiteral("Which run, or group of runs, came out best?"),
         &make<BarsPanel>},
    };
    return kinds;
}

}  // namespace dailies::ui
