#pragma once

#include "ui/review/judging/draw_tool.h"

#include <QFrame>

class QButtonGroup;
class QToolButton;

namespace dailies::ui {

class StrokeLayer;

/// The tools of the pen, above the wall while it draws: shape, colour, width, undo, and the two ways out.
/// Keys are the pen's; Escape ends drawing wherever in the window the keyboard is. GUI thread only.
class DrawingBar : public QFrame {
    Q_OBJECT

public:
    explicit DrawingBar(StrokeLayer& pen, QWidget* parent = nullptr);

private:
    void showTool();
    void showStrokes();

    StrokeLayer& m_pen;
    QButtonGroup* m_shapes;  ///< by DrawShape
    QButtonGroup* m_colors;  ///< by index of kDrawColors
    QButtonGroup* m_widths;  ///< by index of kDrawWidths
    QToolButton* m_undo;
};

}  // namespace dailies::ui
