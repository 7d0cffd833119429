#pragma once

#include "ui/review/judging/draw_tool.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace dailies::ui {

/// How drawing ended: the person was done, something else took the picture away, or it was thrown away.
enum class DrawingEnd { Done, Interrupted, Discarded };

/// Drawings over pictures of the wall, and the pen that makes them: with the mouse, or with the keyboard
/// (arrows move the pen, Shift makes it fast, Space sets it down and lifts it, Backspace removes the last
/// stroke; P, L, A, R and E choose the shape, C the next colour, W the next width; Enter is done, Escape
/// throws away). Lies over the widget that shows the pictures, as large as that; lets the mouse through
/// unless it draws. Nobody draws on what is not shown: hiding it interrupts. GUI thread only.
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
    void endDrawing(DrawingEnd how);

    const DrawTool& tool() const { return m_tool; }
    void setTool(const DrawTool& tool);
    std::size_t strokeCount() const { return m_canvas ? m_canvas->strokes.size() : 0; }
    void undo();  ///< takes the last stroke away

signals:
    void began();
    void ended(dailies::ui::DrawingEnd how, const std::vector<dailies::judging::Stroke>& strokes);
    void toolChanged();
    void strokesChanged();  ///< there are more or fewer

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    struct Canvas {
        QRect picture;
        std::vector<judging::Stroke> strokes;
        judging::Place pen{0.5, 0.5};
        judging::Place anchor;  ///< where the pen was set down
        bool down = false;
    };

    judging::Place placeAt(const QPointF& point) const;
    void setDown(bool down);
    void movePen(const judging::Place& place);
    void chooseShape(DrawShape shape);
    void showOrHide();

    std::vector<Drawing> m_drawings;
    std::optional<Canvas> m_canvas;
    DrawTool m_tool;
};

}  // namespace dailies::ui
