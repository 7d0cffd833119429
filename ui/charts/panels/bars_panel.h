#pragma once

#include "ui/charts/panels/bar_list.h"
#include "ui/charts/panels/bar_overview.h"
#include "ui/charts/panels/plot_panel.h"

class QToolButton;

namespace dailies::ui {

/// A metric's last value of every run, sorted; of every group the mean and the standard deviation when the
/// table groups the runs. More than fit on the screen have an overview above them.
class BarsPanel : public PlotPanel {
    Q_OBJECT

public:
    explicit BarsPanel(QWidget* parent = nullptr);

    QJsonObject panelState() const override;
    void restore(const QJsonObject& panelState) override;
    std::string toCsv() const override;
    void setHovered(const std::string& runId) override { m_bars->setHovered(runId); }

    BarList& bars() { return *m_bars; }
    BarOverview& overview() { return *m_overview; }

protected:
    Preparation preparation() override;

private:
    struct Bar {
        std::string id;  ///< of the run; of a group its name
        QString label, valueText;
        std::size_t run = 0;  ///< its (first) run
        double value = 0;     ///< the mean of a group's finite values
        double deviation = 0;
        std::size_t count = 1;  ///< finite values
    };
    struct Prepared;

    static Prepared prepared(const PlotRunsPtr& runs, const std::optional<analysis::Field>& metric,
                             bool lowestFirst);
    void apply(const Prepared& prepared);
    void choseRow(const std::string& id);

    std::optional<analysis::Field> m_chosenMetric;
    bool m_lowestFirst = false;
    bool m_grouped = false;  ///< what is shown
    analysis::Field m_shown;
    std::vector<Bar> m_shownBars;
    FieldPicker* m_metric;
    QToolButton* m_order;
    BarList* m_bars;
    BarOverview* m_overview;
};

}  // namespace dailies::ui
