#pragma once

#include "core/judging/note.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace dailies::ui {

/// Drawings over pictures of the wall, and the pen that makes them: with the mouse, or with the keyboard
/// (arrows move the pen, Shift makes it fast, Space sets it down and lifts it, Backspace removes the last
/// stroke, C takes the next colour, Enter is done, Escape throws away). Lies over the widget that shows the
/// pictures, as large as that; lets the mouse through unless it draws. GUI thread only.
class StrokeLayer : public QWidget {
    Q_OBJECT

public:
    explicit StrokeLayer(QWidget& pictures);

    struct Drawing {
        QRect picture;  ///< where the picture is, in this widget
        QRect seen;     ///< the place that it is seen through
        std::vector<judging::Stroke> strokes;
    };
    /// What is drawn where; hidden when it is nothing.
    void setDrawings(std::vector<Drawing> drawings);
    const std::vector<Drawing>& drawings() const { return m_drawings; }

    /// Takes the keyboard, and draws over this picture from `strokes` on.
    void beginDrawing(const QRect& picture, std::vector<judging::Stroke> strokes = {});
    bool isDrawing() const { return m_canvas.has_value(); }
    void movePicture(const QRect& picture);  ///< the picture that is drawn on is elsewhere now
    /// Ends drawing: `drawn` with the strokes, or `abandoned`.
    void endDrawing(bool keep);

signals:
    void drawn(const std::vector<dailies::judging::Stroke>& strokes);
    void abandoned();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Canvas {
        QRect picture;
        std::vector<judging::Stroke> strokes;
        judging::Place pen{0.5, 0.5};
        bool down = false;
        int color = 0;
    };

    judging::Place placeAt(const QPointF& point) const;
    void setDown(bool down);
    void movePen(const judging::Place& place);
    void showOrHide();

    std::vector<Drawing> m_drawings;
    std::optional<Canvas> m_canvas;
};

}  // namespace dailies::ui
