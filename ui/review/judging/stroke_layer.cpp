#include "ui/review/judging/stroke_layer.h"

#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kKeyStep = 0.01, kFastKeyStep = 0.05;
constexpr double kMinMove = 0.002;  ///< of a picture: closer places add nothing that is seen

QPointF pointOf(const judging::Place& place, const QRect& picture) {
    return {picture.left() + place.x * picture.width(), picture.top() + place.y * picture.height()};
}

/// The next one of a few, and after the last the first.
template <typename Choices, typename Member, typename Value>
Value after(const Choices& choices, Member member, const Value& now) {
    const auto at = std::ranges::find(choices, now, member);
    return at == choices.end() || at + 1 == choices.end() ? choices.front().*member : (*(at + 1)).*member;
}

/// Around a colour, so that it is seen on its own colour, too.
QColor edgeOf(const QColor& color) {
    return color.lightness() < 64 ? QColor(255, 255, 255, 150) : QColor(0, 0, 0, 110);
}

void paintStrokes(QPainter& painter, const QRect& picture, const std::vector<judging::Stroke>& strokes) {
    for (const judging::Stroke& stroke : strokes) {
        if (stroke.places.empty()) continue;
        QPainterPath path(pointOf(stroke.places.front(), picture));
        for (const judging::Place& place : stroke.places) path.lineTo(pointOf(place, picture));
        if (stroke.places.size() == 1) path.lineTo(pointOf(stroke.places.front(), picture) + QPointF(0.1, 0));
        const double width = std::max(stroke.width * picture.height(), 2.0);
        const QColor color(QString::fromStdString(stroke.color));
        painter.strokePath(path, QPen(edgeOf(color), width + 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.strokePath(path, QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    }
}

}  // namespace

StrokeLayer::StrokeLayer(QWidget& pictures) : QWidget(&pictures) {
    setAccessibleName(tr("Drawing on the frame"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    resize(pictures.size());
    pictures.installEventFilter(this);
    hide();
}

void StrokeLayer::setDrawings(std::vector<Drawing> drawings) {
    m_drawings = std::move(drawings);
    showOrHide();
}

void StrokeLayer::showOrHide() {
    setVisible(isDrawing() || !m_drawings.empty());
    update();
}

void StrokeLayer::beginDrawing(const QRect& picture, std::vector<judging::Stroke> strokes) {
    m_canvas.emplace();
    m_canvas->picture = picture;
    m_canvas->strokes = std::move(strokes);
    setAttribute(Qt::WA_TransparentForMouseEvents, false);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::CrossCursor);
    showOrHide();
    raise();
    setFocus();
    emit began();
}

void StrokeLayer::movePicture(const QRect& picture) {
    if (m_canvas) m_canvas->picture = picture;
    update();
}

void StrokeLayer::endDrawing(DrawingEnd how) {
    if (!m_canvas) return;
    const auto strokes = std::move(m_canvas->strokes);
    m_canvas.reset();
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    unsetCursor();
    if (hasFocus()) parentWidget()->setFocus();
    showOrHide();
    emit ended(how, strokes);
}

void StrokeLayer::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    if (!event->spontaneous())
        endDrawing(DrawingEnd::Interrupted);  // a minimised window comes back as it was
}

void StrokeLayer::setTool(const DrawTool& tool) {
    if (tool == m_tool) return;
    if (m_canvas) setDown(false);  // a stroke is of one kind
    m_tool = tool;
    update();
    emit toolChanged();
}

void StrokeLayer::undo() {
    if (!m_canvas || m_canvas->strokes.empty()) return;
    m_canvas->down = false;
    m_canvas->strokes.pop_back();
    update();
    emit strokesChanged();
}

judging::Place StrokeLayer::placeAt(const QPointF& point) const {
    const QRect& picture = m_canvas->picture;
    return {std::clamp((point.x() - picture.left()) / std::max(picture.width(), 1), 0.0, 1.0),
            std::clamp((point.y() - picture.top()) / std::max(picture.height(), 1), 0.0, 1.0)};
}

void StrokeLayer::setDown(bool down) {
    if (down == m_canvas->down) return;
    m_canvas->down = down;
    update();
    if (down) {
        m_canvas->anchor = m_canvas->pen;
        judging::Stroke& stroke = m_canvas->strokes.emplace_back();
        stroke.color = m_tool.color;
        stroke.width = m_tool.width;
        stroke.places.push_back(m_canvas->pen);
        emit strokesChanged();
    } else if (m_tool.shape != DrawShape::Freehand && m_canvas->pen == m_canvas->anchor) {
        undo();  // a click without a drag makes no shape
    }
}

void StrokeLayer::movePen(const judging::Place& place) {
    const judging::Place to{std::clamp(place.x, 0.0, 1.0), std::clamp(place.y, 0.0, 1.0)};
    m_canvas->pen = to;
    if (m_canvas->down) {
        auto& places = m_canvas->strokes.back().places;
        if (m_tool.shape != DrawShape::Freehand)
            places = outlineOf(m_tool.shape, m_canvas->anchor, to, QSizeF(m_canvas->picture.size()));
        else if (std::hypot(to.x - places.back().x, to.y - places.back().y) >= kMinMove)
            places.push_back(to);
    }
    update();
}

bool StrokeLayer::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) resize(parentWidget()->size());
    return QWidget::eventFilter(watched, event);
}

void StrokeLayer::mousePressEvent(QMouseEvent* event) {
    if (!m_canvas || event->button() != Qt::LeftButton) return;
    movePen(placeAt(event->position()));
    setDown(true);
}

void StrokeLayer::mouseMoveEvent(QMouseEvent* event) {
    if (m_canvas && m_canvas->down) movePen(placeAt(event->position()));
}

void StrokeLayer::mouseReleaseEvent(QMouseEvent* event) {
    if (m_canvas && event->button() == Qt::LeftButton) setDown(false);
}

void StrokeLayer::chooseShape(DrawShape shape) {
    DrawTool tool = m_tool;
    tool.shape = shape;
    setTool(tool);
}

void StrokeLayer::keyPressEvent(QKeyEvent* event) {
    if (!m_canvas) return event->ignore();
    const double step = event->modifiers() & Qt::ShiftModifier ? kFastKeyStep : kKeyStep;
    const judging::Place pen = m_canvas->pen;
    switch (event->key()) {
        case Qt::Key_Left:
            return movePen({pen.x - step, pen.y});
        case Qt::Key_Right:
            return movePen({pen.x + step, pen.y});
        case Qt::Key_Up:
            return movePen({pen.x, pen.y - step});
        case Qt::Key_Down:
            return movePen({pen.x, pen.y + step});
        case Qt::Key_Space:
            return setDown(!m_canvas->down);
        case Qt::Key_P:
            return chooseShape(DrawShape::Freehand);
        case Qt::Key_L:
            return chooseShape(DrawShape::Line);
        case Qt::Key_A:
            return chooseShape(DrawShape::Arrow);
        case Qt::Key_R:
            return chooseShape(DrawShape::Rectangle);
        case Qt::Key_E:
            return chooseShape(DrawShape::Ellipse);
        case Qt::Key_C: {
            DrawTool tool = m_tool;
            tool.color = after(kDrawColors, &DrawColor::value, tool.color);
            return setTool(tool);
        }
        case Qt::Key_W: {
            DrawTool tool = m_tool;
            tool.width = after(kDrawWidths, &DrawWidth::value, tool.width);
            return setTool(tool);
        }
        case Qt::Key_Z:
            return event->modifiers() & Qt::ControlModifier ? undo() : event->accept();
        case Qt::Key_Backspace:
            return undo();
        case Qt::Key_D:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return endDrawing(DrawingEnd::Done);
        case Qt::Key_Escape:
            return endDrawing(DrawingEnd::Discarded);
        default:
            event->accept();  // keys of the wall would move the picture away under the pen
    }
}

void StrokeLayer::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Drawing& drawing : m_drawings) {
        painter.setClipRect(drawing.picture & drawing.seen);
        paintStrokes(painter, drawing.picture, drawing.strokes);
    }
    if (!m_canvas) return;
    painter.setClipping(false);
    painter.setPen(QPen(colors().accent, 2));
    painter.drawRect(m_canvas->picture.adjusted(0, 0, -1, -1));
    paintStrokes(painter, m_canvas->picture, m_canvas->strokes);
    const QPointF pen = pointOf(m_canvas->pen, m_canvas->picture);
    const QColor color(QString::fromStdString(m_tool.color));
    painter.setPen(QPen(edgeOf(color), 4));
    painter.setBrush(m_canvas->down ? color : QColor(Qt::transparent));
    painter.drawEllipse(pen, 5, 5);
    painter.setPen(QPen(color, 2));
    painter.drawEllipse(pen, 5, 5);
}

}  // namespace dailies::ui
