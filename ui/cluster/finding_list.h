#pragma once

#include "remote/cluster/cluster_check.h"

#include <QScrollArea>

class QGridLayout;
class QLabel;

namespace dailies::ui {

/// What a cluster's test found, a row a finding as it is made: verdict, what, how it is, what to do.
class FindingList : public QScrollArea {
    Q_OBJECT

public:
    explicit FindingList(QWidget* parent = nullptr);

    void begin();  ///< empties it
    void add(const remote::ClusterFinding& finding);
    void end(remote::Verdict verdict);  ///< all is said; the verdict on all of it

private:
    QLabel* m_title;
    QWidget* m_rows = nullptr;
    QGridLayout* m_grid = nullptr;
};

}  // namespace dailies::ui
