#pragma once

#include "ui/cluster/snapshot_model.h"

#include <QFrame>

#include <optional>
#include <vector>

class QLabel;

namespace dailies::ui {

class ElidedLabel;

/// One figure of the cluster: what, how much, a bar of its parts, and a line below.
class UsageTile : public QFrame {
    Q_OBJECT

public:
    struct Part {
        double amount = 0;
        StatusTone tone = StatusTone::Busy;
    };

    explicit UsageTile(const QString& title);

    /// `parts` fill the bar in this order; `whole` is the bar's length, 0: no bar.
    void display(const QString& figure, const QString& below, std::vector<Part> parts, double whole);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_title;
    QLabel* m_figure;
    ElidedLabel* m_below;
    std::vector<Part> m_parts;
    double m_whole = 0;
};

}  // namespace dailies::ui
