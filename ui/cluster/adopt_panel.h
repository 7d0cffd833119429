#pragma once

#include "remote/launch/adopt.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;

namespace dailies::ui {

class ClusterWorker;
class SnapshotTable;

/// The sweeps in the workspace that another database launched, and the way to take them up here.
class AdoptPanel : public QWidget {
    Q_OBJECT

public:
    explicit AdoptPanel(ClusterWorker& worker, QWidget* parent = nullptr);

    void checkNow();  ///< asks the cluster, where one is connected
    void display(std::vector<remote::UntrackedSweep> sweeps);

private:
    void adopt(bool all);
    void refresh();

    ClusterWorker& m_worker;
    std::vector<remote::UntrackedSweep> m_sweeps;
    bool m_looking = false, m_looked = false;
    SnapshotTable* m_table;
    QLabel* m_text;
    QPushButton* m_adopt;
    QPushButton* m_adoptAll;
    QPushButton* m_look;
};

}  // namespace dailies::ui
