#pragma once

#include "ui/cluster/cluster_rows.h"

#include <QWidget>

#include <memory>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace dailies::ui {

class ElidedLabel;
class SnapshotTable;

/// The cluster's nodes: all of them as squares, and a list with what is given away of each, why it is out,
/// and what runs there.
class NodesPanel : public QWidget {
    Q_OBJECT

public:
    explicit NodesPanel(QWidget* parent = nullptr);

    void display(std::shared_ptr<const remote::ClusterView> view);
    void focusSearch();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeBar();
    void fitSquares();
    void refresh();
    void showChips();
    void showJobs();

    std::shared_ptr<const remote::ClusterView> m_view;
    NodeFilter m_filter;

    QBoxLayout* m_chips;
    std::vector<std::pair<remote::slurm::NodeCondition, QPushButton*>> m_chipOf;
    QLineEdit* m_search;
    QScrollArea* m_squares;
    NodeGrid* m_grid;
    SnapshotTable* m_table;
    ElidedLabel* m_jobs;
};

}  // namespace dailies::ui
