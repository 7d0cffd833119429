#pragma once

#include "remote/diagnostics/cluster_check.h"

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
    /// What is said above the rows when all is said, by the verdict on all of it.
    struct Titles {
        QString good, warn, bad;
    };
    void end(remote::Verdict verdict);  ///< of a cluster's test
    void end(remote::Verdict verdict, const Titles& titles);
    /// What was found is true no longer: `title` says why in the verdict's place, and the rows pale.
    void markOutdated(const QString& title);

private:
    QLabel* m_title;
    QWidget* m_rows = nullptr;
    QGridLayout* m_grid = nullptr;
};

}  // namespace dailies::ui
