#pragma once

#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "ui/bridge/run_async.h"

#include <QTimer>
#include <QWidget>

#include <string>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QTableWidget;
class QTabWidget;

namespace dailies::ui {

/// What a launch would do, before it does it: the runs, the exact sbatch script, the sweep as YAML; or what
/// is wrong.
class LaunchPreview : public QWidget {
    Q_OBJECT

public:
    explicit LaunchPreview(QWidget* parent = nullptr);

    /// Plans anew, a moment after the last of many changes. `problems` are those that the form knows of
    /// already.
    void show(const sweep::Sweep& sweep, const remote::ClusterProfile& profile, const std::string& workspace,
              const QStringList& problems);

    bool valid() const { return m_valid; }
    int runCount() const { return m_runCount; }
    bool settled() const { return !m_planning && !m_later.isActive(); }
    QString yaml() const;
    QString script() const;
    QStringList runNames() const;
    QString problemText() const;

signals:
    void changed();

private:
    struct Plan {
        std::vector<sweep::PlannedRun> runs;
        std::string script, yaml;
    };

    void plan();
    void showPlan(const Plan& plan);
    void showProblems(const QStringList& problems);

    sweep::Sweep m_sweep;
    remote::ClusterProfile m_profile;
    std::string m_workspace;
    QTimer m_later;
    AsyncTask m_task;
    bool m_planning = false;
    bool m_valid = false;
    int m_runCount = 0;

    QLabel* m_summary;
    QLabel* m_problems;
    QTabWidget* m_tabs;
    QTableWidget* m_runs;
    QPlainTextEdit* m_script;
    QPlainTextEdit* m_yaml;
};

}  // namespace dailies::ui
