#pragma once

#include "ui/datasets/histogram.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace dailies::ui {

/// A histogram whose limits are lines that can be dragged. Clips that are kept stand in front of all. GUI
/// thread only.
class HistogramView : public QWidget {
    Q_OBJECT

public:
    struct Line {
        /// None: it asks for nothing, and its handle waits at the end of the axis.
        std::optional<double> value = {};
        bool least = true;  ///< clips below it are dropped; else those above
        bool operator==(const Line&) const = default;
    };

    explicit HistogramView(QWidget* parent = nullptr);

    void setHistogram(Histogram histogram);
    const Histogram& histogram() const { return m_histogram; }
    void setKept(const Histogram::Counts& kept);
    void setLines(std::vector<Line> lines);
    /// Where a line stands, in the widget's coordinates.
    double lineX(std::size_t line) const;

    QSize sizeHint() const override { return {200, 52}; }
    QSize minimumSizeHint() const override { return {120, 52}; }

signals:
    /// A person holds the line, or a click brought it there; at the end of the axis it asks for nothing.
    void lineMoved(std::size_t line, std::optional<double> value);
    void released();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    std::optional<std::size_t> nearestLine(double x) const;
    void moveTo(double x);

    Histogram m_histogram;
    Histogram::Counts m_kept = {};
    std::vector<Line> m_lines;
    std::optional<std::size_t> m_held, m_hovered;
};

}  // namespace dailies::ui
