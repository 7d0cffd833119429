#include "ui/review/judging/drawing_bar.h"

#include "ui/review/judging/stroke_layer.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QPushButton>
#include <QShortcut>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kToolSize = 28;  ///< all of them fit beside a sidebar in the narrowest window

struct ShapeButton {
    DrawShape shape;
    const char* icon;
    const char* name;
};

constexpr std::array kShapes{
    ShapeButton{DrawShape::Freehand, "pen", QT_TRANSLATE_NOOP("DrawingBar", "Freehand (P)")},
    ShapeButton{DrawShape::Line, "line", QT_TRANSLATE_NOOP("DrawingBar", "Line (L)")},
    ShapeButton{DrawShape::Arrow, "arrow", QT_TRANSLATE_NOOP("DrawingBar", "Arrow (A)")},
    ShapeButton{DrawShape::Rectangle, "rectangle", QT_TRANSLATE_NOOP("DrawingBar", "Rectangle (R)")},
    ShapeButton{DrawShape::Ellipse, "ellipse", QT_TRANSLATE_NOOP("DrawingBar", "Ellipse (E)")}};

QToolButton* addTool(QButtonGroup& group, QBoxLayout& row, const QIcon& picture, const QString& name) {
    QToolButton* button = makeIconButton({}, name);
    button->setIcon(picture);
    button->setFixedSize(kToolSize, kToolSize);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);  // a click leaves the keyboard with the pen
    group.addButton(button, static_cast<int>(group.buttons().size()));
    row.addWidget(button);
    return button;
}

QFrame* makeDivider() {
    QFrame* line = makeLine(Qt::Vertical);
    line->setFixedHeight(space::k24);
    return line;
}

}  // namespace

DrawingBar::DrawingBar(StrokeLayer& pen, QWidget* parent)
    : QFrame(parent),
      m_pen(pen),
      m_shapes(new QButtonGroup(this)),
      m_colors(new QButtonGroup(this)),
      m_widths(new QButtonGroup(this)),
      m_undo(makeIconButton(QStringLiteral("undo"), tr("Undo the last stroke (Ctrl+Z)"))) {
    setProperty("bar", true);
    setAccessibleName(tr("Drawing tools"));
    QBoxLayout* row = makeRow(space::k4, {space::k16, space::k4, space::k16, space::k4});
    setLayout(row);
    const auto divide = [row] {
        row->addSpacing(space::k8);
        row->addWidget(makeDivider());
        row->addSpacing(space::k8);
    };
    for (const ShapeButton& shape : kShapes)
        addTool(*m_shapes, *row, icon(QLatin1String(shape.icon)), tr(shape.name));
    divide();
    for (const DrawColor& color : kDrawColors)
        addTool(*m_colors, *row, icon(QStringLiteral("swatch"), QColor(color.value)),
                tr("%1 (C: next color)").arg(tr(color.name)));
    divide();
    for (const DrawWidth& width : kDrawWidths)
        addTool(*m_widths, *row, icon(QLatin1String(width.icon)),
                tr("%1 (W: next width)").arg(tr(width.name)));
    divide();
    m_undo->setFocusPolicy(Qt::TabFocus);
    row->addWidget(m_undo);
    row->addStretch();
    auto* cancel = makeButton(tr("Cancel"), ButtonKind::Ghost);
    cancel->setToolTip(tr("End drawing without keeping it (Esc)"));
    auto* done = makeButton(tr("Done"), ButtonKind::Primary);
    done->setToolTip(tr("Keep the drawing for a note (Enter)"));
    for (QPushButton* button : {cancel, done}) {
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }

    const auto choose = [this](QButtonGroup* group, auto change) {
        connect(group, &QButtonGroup::idClicked, this, [this, change](int id) {
            DrawTool tool = m_pen.tool();
            change(tool, static_cast<std::size_t>(id));
            m_pen.setTool(tool);
        });
    };
    choose(m_shapes, [](DrawTool& tool, std::size_t i) { tool.shape = kShapes[i].shape; });
    choose(m_colors, [](DrawTool& tool, std::size_t i) { tool.color = kDrawColors[i].value; });
    choose(m_widths, [](DrawTool& tool, std::size_t i) { tool.width = kDrawWidths[i].value; });
    connect(m_undo, &QToolButton::clicked, &m_pen, &StrokeLayer::undo);
    connect(cancel, &QPushButton::clicked, &m_pen, [this] { m_pen.endDrawing(DrawingEnd::Discarded); });
    connect(done, &QPushButton::clicked, &m_pen, [this] { m_pen.endDrawing(DrawingEnd::Done); });
    // Only while the bar is shown, which is while the pen draws.
    auto* escape = new QShortcut(Qt::Key_Escape, this);
    connect(escape, &QShortcut::activated, &m_pen, [this] { m_pen.endDrawing(DrawingEnd::Discarded); });
    connect(&m_pen, &StrokeLayer::toolChanged, this, &DrawingBar::showTool);
    connect(&m_pen, &StrokeLayer::strokesChanged, this, &DrawingBar::showStrokes);
    connect(&m_pen, &StrokeLayer::began, this, [this] {
        showStrokes();
        show();
    });
    connect(&m_pen, &StrokeLayer::ended, this, &QWidget::hide);
    showTool();
    hide();
}

void DrawingBar::showTool() {
    const DrawTool& tool = m_pen.tool();
    for (std::size_t i = 0; i < kShapes.size(); ++i)
        m_shapes->button(static_cast<int>(i))->setChecked(kShapes[i].shape == tool.shape);
    for (std::size_t i = 0; i < kDrawColors.size(); ++i)
        m_colors->button(static_cast<int>(i))->setChecked(kDrawColors[i].value == tool.color);
    for (std::size_t i = 0; i < kDrawWidths.size(); ++i)
        m_widths->button(static_cast<int>(i))->setChecked(kDrawWidths[i].value == tool.width);
}

void DrawingBar::showStrokes() {
    m_undo->setEnabled(m_pen.strokeCount() > 0);
}

}  // namespace dailies::ui
