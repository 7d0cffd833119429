#pragma once

#include "ui/charts/panels/plot_panel.h"
#include "ui/charts/panels/scatter_canvas.h"

class QAction;
class QToolButton;

namespace dailies::ui {

/// A dot a run over any two of its values, coloured by a third; on demand over a surface of that third.
/// Without a choice: the likeliest metric over the param that goes with it most.
class ScatterPanel : public PlotPanel {
    Q_OBJECT

public:
    explicit ScatterPanel(QWidget* parent = nullptr);

    QJsonObject panelState() const override;
    void restore(const QJsonObject& panelState) override;
    std::string toCsv() const override;
    void setHovered(const std::string& runId) override { m_canvas->setHovered(runId); }
    bool isSettled() const override;

    ScatterCanvas& canvas() { return *m_canvas; }

protected:
    Preparation preparation() override;

private:
    struct Choice {
        std::optional<analysis::Field> x, y, color;
        std::optional<bool> logX, logY;
        bool contour = false;
    };
    struct Prepared;

    static Prepared prepared(const PlotRunsPtr& runs, const Choice& choice, std::stop_token stop);
    void apply(const Prepared& prepared);
    void keepShownAxes();

    Choice m_choice;
    std::optional<analysis::Field> m_usualX;  ///< kept while it is offered: live values do not move the axis
    ScatterCanvas* m_canvas;
    FieldPicker* m_x;
    FieldPicker* m_y;
    FieldPicker* m_color;
    QToolButton* m_options;
    QAction* m_logX;
    QAction* m_logY;
    QAction* m_contour;
};

}  // namespace dailies::ui
