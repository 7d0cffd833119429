#pragma once

#include "ui/bridge/run_async.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/panels/plot_runs.h"

#include <QElapsedTimer>
#include <QTimer>

#include <functional>

class QBoxLayout;
class QLabel;
class QStackedLayout;

namespace dailies::ui {

class ElidedLabel;
class FieldPicker;

/// What the panels of this folder share: a header with choosers, a plot or a message in its place, and the
/// way from runs to what is shown: a worker prepares it, only while somebody sees the panel, and for runs
/// that go on at most a tenth of the time.
class PlotPanel : public ChartPanel {
    Q_OBJECT

public:
    void setRuns(const ChartedRuns& runs) final;
    bool isSettled() const override;

protected:
    /// What is done with a preparation's result, on the GUI thread.
    using Apply = std::function<void()>;
    /// Done on a worker. What cannot be shown it throws as an `Error`, which takes the plot's place.
    using Preparation = std::function<Apply(std::stop_token)>;

    explicit PlotPanel(QWidget* parent);

    /// Called on the GUI thread with at least one run; captures what the worker needs.
    virtual Preparation preparation() = 0;
    /// The same runs, but others are emphasized or grouped. Prepares anew unless a panel knows better.
    virtual void emphasisChanged() { prepare(); }

    void setPlot(QWidget* plot);
    QBoxLayout* header() { return m_header; }  ///< for choosers and toggles, from the left
    void setSummary(const QString& text);      ///< at the header's right end
    void showMessage(const QString& title, const QString& text);
    /// A person chose something else: shown now, saved by the grid.
    void choose();
    void prepare();

    const PlotRunsPtr& runs() const { return m_runs; }

    void paintEvent(QPaintEvent* event) override;

private:
    void start();

    PlotRunsPtr m_runs;
    QElapsedTimer m_clock;  ///< since the last preparation began, then since it ended
    qint64 m_tookMs = 0;
    QTimer m_schedule;
    AsyncTask m_task;
    bool m_preparing = false;
    bool m_stale = false;  ///< to be prepared when somebody sees the panel

    QBoxLayout* m_header;
    ElidedLabel* m_summary;
    QStackedLayout* m_body;
    QWidget* m_message;
    QLabel* m_messageTitle;
    QLabel* m_messageText;
    QWidget* m_plot = nullptr;
};

/// Params, then metrics, then times: what a picker offers.
std::vector<analysis::Field> availableFields(const analysis::Fields& fields, bool times);

/// The key of a saved field, or nullopt when it was not saved.
std::optional<analysis::Field> fieldFromJson(const QJsonObject& panelState, const QString& key);
QJsonValue fieldToJson(const analysis::Field& field);

}  // namespace dailies::ui
