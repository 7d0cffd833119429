#pragma once

#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/job_script/script_edit.h"
#include "remote/launch/assessed_launch.h"
#include "remote/launch/launch_check.h"
#include "ui/bridge/run_async.h"

#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QTableView;
class QTabWidget;

namespace dailies::ui {

class CommandView;
class ElidedLabel;
class FindingList;
class LayoutPanel;
class PlannedRunsModel;
class ScriptEditor;
class StageList;
class YamlEditor;

/// What a launch would do, before it does it: the runs and what they repeat, time and cost, the exact sbatch
/// script, the sweep as YAML; or what is wrong.
class LaunchPreview : public QWidget {
    Q_OBJECT

public:
    explicit LaunchPreview(QWidget* parent = nullptr);

    /// Plans anew, a moment after the last of many changes. `problems` are those that the form knows of
    /// already.
    /// `facts` of the cluster, where one is connected, tell whether the runs fit its memory.
    void display(const sweep::Sweep& sweep, const remote::ClusterProfile& profile,
                 const std::string& workspace, const std::optional<remote::slurm::ClusterFacts>& facts,
                 const QStringList& problems);

    /// What earlier runs tell of speed and repeats; kept until others are set.
    void setPastRuns(std::shared_ptr<const remote::PastRuns> past);

    /// Whether it can be sent: a sweep that makes sense, and a script in which nothing needed is broken.
    bool valid() const;
    /// In the end: without repeats where those are left out, with the runs that follow from results.
    int runCount() const { return m_runCount; }
    /// A person wants no run again that repeats another.
    bool skipsRepeats() const;
    bool isSettled() const;
    QString yaml() const;
    QString script() const;
    /// What a person changed in the script; nullopt: nothing.
    std::optional<remote::ScriptEdit> edit() const;
    ScriptEditor& scriptEditor() { return *m_script; }
    LayoutPanel& layouts() { return *m_layouts; }
    void chooseTab(const QString& title);
    QStringList runNames() const;
    StageList& stages() { return *m_stages; }
    QString problemText() const;
    QString summaryText() const;
    QString costText() const;
    QString variesText() const;
    QString memoryText() const;
    QString warningText() const;
    /// The words of the first and the last run; empty: the runs are the trainer's, or nothing is ready.
    QString commandText() const;

    /// The cluster is asked whether it would take what is shown now.
    void beginCheck();
    /// What it said, in a tab of its own. Said to be out of date as soon as something else would be sent.
    void showCheck(const remote::LaunchCheck& check);
    bool checkIsCurrent() const;

    YamlEditor& yamlEditor() { return *m_yaml; }

signals:
    void changed();

private:
    struct Plan {
        std::vector<remote::AssessedLaunch> stages;  ///< of a sweep without stages one
        QString varies;
        bool stopsEarly = false;
    };

    void plan();
    void showPlan(Plan plan);
    /// Runs, memory, script and layouts of this one.
    void showStage(int stage);
    void showStages();
    void showSummary();
    void showProblems(const QStringList& problems);
    void showProblemText();
    void showScriptState();
    void showCheckState();
    void showFindings();
    /// The planned runs that are left out.
    std::set<std::size_t> skipped() const;
    /// Everything that would be sent, and where to.
    std::string subject() const;

    sweep::Sweep m_sweep;
    QStringList m_formProblems;
    QStringList m_said;  ///< why it is not ready
    remote::ClusterProfile m_profile;
    std::string m_workspace;
    std::optional<remote::slurm::ClusterFacts> m_facts;
    QTimer m_later;
    AsyncTask m_task;
    bool m_planning = false;
    std::shared_ptr<const remote::PastRuns> m_pastRuns = std::make_shared<remote::PastRuns>();
    Plan m_plan;
    remote::Forecast m_forecast;  ///< of all stages together
    std::set<std::size_t> m_repeats;
    bool m_valid = false;
    int m_runCount = 0;

    ElidedLabel* m_varies;
    QLabel* m_summary;
    QLabel* m_cost;
    QLabel* m_basis;
    QLabel* m_memory;
    QLabel* m_warnings;
    QLabel* m_problems;
    QLabel* m_broken;  ///< what an edit of the script broke
    QCheckBox* m_skip;
    QTabWidget* m_tabs;
    FindingList* m_check;
    QWidget* m_checkPage;                            ///< holds it; a tab once there was a check
    std::string m_checking;                          ///< what the cluster was asked about last
    std::string m_checked;                           ///< what the check on show is about
    bool m_showsCurrent = false;                     ///< and not said to be out of date
    std::vector<remote::ClusterFinding> m_findings;  ///< of that check
    std::int64_t m_start = 0;  ///< unix seconds at which Slurm expects the sweep to begin; 0: not asked
    StageList* m_stages;
    PlannedRunsModel* m_model;
    QTableView* m_runs;
    CommandView* m_command;
    ScriptEditor* m_script;
    YamlEditor* m_yaml;
    LayoutPanel* m_layouts;
};

}  // namespace dailies::ui
