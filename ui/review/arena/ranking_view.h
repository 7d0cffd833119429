#pragma once

#include <QColor>
#include <QWidget>

#include <vector>

namespace dailies::ui {

/// Who is how strong, best first: a line each with its name, its strength, and the interval in which that
/// lies with 95 % confidence, on one axis for all.
class RankingView : public QWidget {
    Q_OBJECT

public:
    struct Line {
        QString name;
        QString details;  ///< the params that differ
        QColor color;
        double strength = 0, low = 0, high = 0;
        int wins = 0, ties = 0, losses = 0;
        bool isContender = false;  ///< may still be the best
        bool isRated() const { return wins + ties + losses > 0; }
    };

    explicit RankingView(QWidget* parent = nullptr);

    void setLines(std::vector<Line> lines);
    const std::vector<Line>& lines() const { return m_lines; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<Line> m_lines;
};

}  // namespace dailies::ui
