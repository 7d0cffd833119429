#pragma once

#include "core/quality/clip_comparison.h"

#include <QPixmap>
#include <QString>
#include <QWidget>

#include <vector>

namespace dailies::ui {

/// Four curves over the frames of two clips, PSNR and SSIM of B against A, flicker and motion of both, with
/// the values under the play head. A click moves the play head. GUI thread only.
class QualityCurves : public QWidget {
    Q_OBJECT

public:
    explicit QualityCurves(QWidget* parent = nullptr);

    /// `length` is the play head's: what was not measured yet (or has no partner) stays empty.
    void setFrames(const std::vector<quality::FrameComparison>& frames, int length);
    void setColors(const QColor& a, const QColor& b);
    void setProblem(const QString& problem);
    void setCurrent(int frame);

    /// "PSNR 31.2 dB, SSIM 0.941, …" at the play head.
    QString valuesText() const;

    QSize sizeHint() const override { return {640, 152}; }
    QSize minimumSizeHint() const override { return {240, 152}; }

signals:
    void frameChosen(int frame);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QRect laneRect(int lane) const;
    double xOf(int frame) const;
    void choose(double x);
    void redraw();
    void paintLanes(QPainter& painter) const;

    std::vector<quality::FrameComparison> m_frames;
    int m_length = 0;
    int m_current = 0;
    QColor m_a, m_b;
    QString m_problem;
    QPixmap m_lanes;  ///< the curves: a moving play head does not draw them again
};

}  // namespace dailies::ui
