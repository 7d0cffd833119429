#pragma once

#include "core/planner/layout_search.h"
#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/slurm/scheduler.h"
#include "ui/bridge/run_async.h"

#include <QWidget>

#include <optional>
#include <string>
#include <utility>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace dailies::ui {

class LayoutChart;

/// The layouts that a run could have on its nodes: what is best in a sentence or two, a chart of memory
/// against speed and the same as a table, best first. One that is chosen can be taken into the configuration.
/// Layouts are judged off the GUI thread, and only while this can be seen.
class LayoutPanel : public QWidget {
    Q_OBJECT

public:
    explicit LayoutPanel(QWidget* parent = nullptr);

    /// Of a run with this resolved config. `facts` where a cluster is connected.
    void ask(const Json& config, const sweep::Resources& resources, const remote::ClusterProfile& profile,
             const std::optional<remote::slurm::ClusterFacts>& facts);
    void clear();

    bool isSettled() const { return !m_working && !(m_stale && isVisible()); }
    QString adviceText() const;
    QTableWidget& table() { return *m_table; }
    LayoutChart& chart() { return *m_chart; }
    const planner::LayoutCandidates& choices() const { return m_choices; }

signals:
    /// Keys of the configuration with the values that make the chosen layout.
    void layoutAccepted(const std::vector<std::pair<std::string, dailies::Json>>& settings);

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct Answer {
        std::optional<planner::LayoutQuestion> question;  ///< nullopt: how fast ranks are is not known
        planner::LayoutCandidates choices;
        std::string advice;
    };

    void evaluate();
    void showAnswer(const Answer& answer);
    void fillTable(const planner::LayoutQuestion& question);
    void select(std::size_t choice);
    void take();

    Json m_config;
    sweep::Resources m_resources;
    remote::ClusterProfile m_profile;
    std::optional<remote::slurm::ClusterFacts> m_facts;
    AsyncTask m_task;
    bool m_stale = false, m_working = false;
    planner::LayoutCandidates m_choices;
    std::optional<std::size_t> m_selected;

    QLabel* m_advice;
    QLabel* m_basis;
    LayoutChart* m_chart;
    QTableWidget* m_table;
    QPushButton* m_take;
};

}  // namespace dailies::ui
