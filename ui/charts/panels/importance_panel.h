#pragma once

#include "core/analysis/importance.h"
#include "ui/charts/panels/plot_panel.h"

namespace dailies::ui {

class BarList;

/// Which params mattered to a metric: bars with whiskers of two standard errors, and in words how far the
/// params explain the metric at all.
class ImportancePanel : public PlotPanel {
    Q_OBJECT

public:
    explicit ImportancePanel(QWidget* parent = nullptr);

    QJsonObject panelState() const override;
    void restore(const QJsonObject& panelState) override;
    std::string toCsv() const override;

    BarList& bars() { return *m_bars; }
    QString summary() const;

protected:
    Preparation preparation() override;
    void emphasisChanged() override {}  // which runs are selected changes nothing here

private:
    void apply(const analysis::Fields& fields, const analysis::Field& target,
               analysis::ImportanceReport report);

    std::optional<analysis::Field> m_chosenTarget;
    analysis::ImportanceReport m_report;
    FieldPicker* m_target;
    QLabel* m_verdict;
    ElidedLabel* m_legend;
    BarList* m_bars;
};

/// "The params explain 83 % of the differences in adherence over 64 runs.", or that they do not.
QString importanceSummary(const analysis::ImportanceReport& report, const QString& target);

}  // namespace dailies::ui
