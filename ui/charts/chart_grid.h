#pragma once

#include "ui/charts/chart_arrangement.h"
#include "ui/charts/chart_layout.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/charted_run.h"
#include "ui/charts/curve_cache.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace dailies::ui {

class ChartCard;
class ChartGridBar;
class MetricChart;

/// Charts over the runs that a table shows: the curves of every metric in sections by their prefix, and any
/// panel of `chartKinds` that a person added. One smoothing, one x axis, one crosshair and one zoom for all
/// curves. Only the cards on the screen and a little beyond exist; what people arranged is kept in the store
/// for each experiment.
class ChartGrid : public QWidget {
    Q_OBJECT

public:
    explicit ChartGrid(std::filesystem::path storeFile, QWidget* parent = nullptr);
    ~ChartGrid() override;

    /// The name under which the store keeps the arrangement among an experiment's saved views.
    static constexpr const char* kViewName = "dailies.charts";

    /// Which runs to draw, in the table's order, and what to call them ("12 selected runs"). Where some are
    /// emphasized, curves are drawn of these only; plots show all and bring these forward.
    void setRuns(const ChartedRuns& runs, const QString& caption);
    /// What to say, and to offer, where runs exist and none is drawn: a filter lets none through. An empty
    /// text: nothing keeps runs away.
    void setWithheld(const QString& text, const QString& remedy);
    /// These runs have new points; empty = any may.
    void runsChanged(const std::vector<std::string>& runIds);
    /// Whose saved arrangement to show; empty = that of all experiments together.
    void setExperiment(const std::string& name);
    /// The step that something else stands at (a clip); every chart shows it.
    void setStepCursor(std::optional<double> step);
    /// The table's pointer is over this run ("" = over none): its curves come forward.
    void setHovered(const std::string& runId);
    bool isSettled() const;

    /// The cards that exist now, in no order; for tests and pictures.
    std::vector<ChartCard*> cards() const;
    const ChartArrangement& arrangement() const { return m_arrangement; }
    void setMaximized(const std::string& cardId);  ///< empty: none
    /// Shows a metric's curves, or a plot by the id of its kind, alone, and keeps nothing of it in the store.
    /// Returns whether there is such a chart.
    bool showAlone(const std::string& metricOrKind);
    void focusSearch();

signals:
    void failed(const dailies::Error& error);
    /// The pointer is over this run's curve or mark ("" = over none).
    void runHovered(const std::string& runId);
    /// A person chose these runs' curves or marks: the table is to select them.
    void runsChosen(const std::vector<std::string>& runIds);
    /// A person wants this run's page.
    void openRunRequested(const std::string& runId);
    /// A person took what `setWithheld` offers.
    void remedyRequested();
    /// A click on a curve: what was the run at that step?
    void stepChosen(const std::string& runId, double step);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void applyMetrics(std::vector<std::string> keys);
    void rebuild();
    void showEmpty();
    void layOut();
    void makeVisibleCards();
    QRect rectOf(const std::string& id) const;
    ChartCard* makeCard(const ChartSlot& slot);
    const ChartedRuns& runsFor(const ChartPanel& panel) const;
    void connectCurves(MetricChart& chart);
    void applySettings(const CurveSettings& settings);
    void setRange(const std::optional<Range>& range);
    void hover(const std::string& runId);
    void move(const std::string& id, int places);
    void showDrop(const std::string& id, const QPoint& globalPosition);
    void drop(const std::string& id, const QPoint& globalPosition);
    std::optional<std::pair<std::size_t, std::size_t>> find(const std::string& id) const;
    void remove(const std::string& id);
    void load();
    void scheduleSave();
    void save();
    void eachChart(const std::function<void(MetricChart&)>& call);

    CurveCache m_store;
    ChartedRuns m_runs;
    ChartedRuns m_curveRuns;  ///< the emphasized ones, or all when there are none
    std::string m_experiment;
    ChartArrangement m_arrangement;
    QString m_search;
    QString m_withheld;
    std::optional<Range> m_range;
    std::optional<double> m_stepCursor;
    std::string m_hovered;
    std::string m_maximised;

    std::vector<ChartSection> m_sections;
    GridGeometry m_places;
    std::map<std::string, ChartCard*> m_cards;  ///< by id
    std::vector<QToolButton*> m_headers;
    std::vector<std::pair<std::string, std::size_t>> m_keysFrom;  ///< runs and how many metrics they have
    QTimer m_makeLater;  ///< for the cards on the screen that are not made yet
    bool m_collecting = false;
    bool m_loading = true;
    bool m_unsaved = false;
    bool m_saving = false;
    QTimer m_saveTimer;

    ChartGridBar* m_bar;
    QScrollArea* m_scroll;
    QWidget* m_content;
    QWidget* m_dropMark;
    QWidget* m_nothing;  ///< where the cards would be
    QLabel* m_empty;
    QPushButton* m_remedy;
};

}  // namespace dailies::ui
