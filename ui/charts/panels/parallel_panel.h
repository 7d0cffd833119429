#pragma once

#include "ui/charts/panels/parallel_canvas.h"
#include "ui/charts/panels/plot_panel.h"

namespace dailies::ui {

/// Parallel coordinates: which combinations of params led where? Without a choice it shows the params that go
/// with the metric most, and the metric last, which colours the lines.
class ParallelPanel : public PlotPanel {
    Q_OBJECT

public:
    explicit ParallelPanel(QWidget* parent = nullptr);

    QJsonObject panelState() const override;
    void restore(const QJsonObject& panelState) override;
    std::string toCsv() const override;
    void setHovered(const std::string& runId) override { m_canvas->setHovered(runId); }
    bool isSettled() const override;

    ParallelCanvas& canvas() { return *m_canvas; }

protected:
    Preparation preparation() override;

private:
    void apply(const analysis::Fields& fields, std::shared_ptr<const ParallelScene> scene);
    void moveAxis(std::size_t from, std::size_t to);
    void showSummary();

    /// What a person chose; empty: what suits the runs.
    std::vector<analysis::Field> m_chosenAxes;
    std::optional<analysis::Field> m_chosenColor;
    /// What was chosen for them, kept while it can be so that live values do not reshuffle the axes.
    std::vector<analysis::Field> m_usualAxes;

    ParallelCanvas* m_canvas;
    FieldPicker* m_axes;
    FieldPicker* m_color;
};

}  // namespace dailies::ui
