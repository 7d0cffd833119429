#include "ui/viewport/clip_viewport.h"

#include "core/quality/luma.h"
#include "ui/theme/theme.h"
#include "ui/viewport/compose.h"

#include <QAccessible>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dailies::ui {

namespace {

constexpr double kGrabDistance = 8;
constexpr double kPlaceStep = 0.05, kOpacityStep = 0.1;

QImage sized(const QImage& image, const QSize& size) {
    return image.size() == size ? image : image.scaled(size);
}

/// The whole pixels of the picture that are seen, and where they lie.
struct Seen {
    QRect part;
    QRectF target;
};

Seen seenOf(const QRectF& picture, const QSize& pixels, const QSize& room) {
    const double across = picture.width() / pixels.width(), down = picture.height() / pixels.height();
    const QRectF visible = picture.intersected(QRectF(QPointF(), room));
    const int left = static_cast<int>(std::floor((visible.left() - picture.left()) / across + 1e-9));
    const int top = static_cast<int>(std::floor((visible.top() - picture.top()) / down + 1e-9));
    const int right = static_cast<int>(std::ceil((visible.right() - picture.left()) / across - 1e-9));
    const int bottom = static_cast<int>(std::ceil((visible.bottom() - picture.top()) / down - 1e-9));
    const QRect part = QRect(left, top, right - left, bottom - top) & QRect(QPoint(), pixels);
    return {part, QRectF(picture.left() + part.left() * across, picture.top() + part.top() * down,
                         part.width() * across, part.height() * down)};
}

/// Enlarged pixels are squares; a picture made smaller, or not much larger, is smoothed.
void draw(QPainter& painter, const QRectF& target, const QImage& image, const QRectF& part) {
    const double scale = target.width() / std::max(part.width(), 1.0);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, scale < 3 && std::abs(scale - 1) > 1e-6);
    painter.drawImage(target, image, part);
}

/// Draws the frames into device pixels.
void drawFrames(QPainter& painter, const ViewedFrames& frames, const ViewSettings& settings,
                const QRectF& picture, const QSize& room) {
    if (frames.a.isNull() && frames.b.isNull()) return;
    const QImage& a = frames.a.isNull() ? frames.b : frames.a;
    const Seen seen = seenOf(picture, a.size(), room);
    if (seen.part.isEmpty()) return;
    const bool ofBoth = settings.mode != ViewMode::OnionSkin;
    if (ofBoth && (frames.a.isNull() || frames.b.isNull())) {  // while one is missing, the other alone
        draw(painter, seen.target, a, seen.part);
        return;
    }
    const QImage b = frames.b.isNull() ? a : sized(frames.b, a.size());
    const QRectF all(QPointF(), seen.part.size());
    switch (settings.mode) {
        case ViewMode::Wipe: {
            draw(painter, seen.target, b, seen.part);
            QPainterPath side;
            side.addPolygon(wipePolygon(picture, settings.wipePosition, settings.wipeAngle));
            painter.setClipPath(side);
            draw(painter, seen.target, a, seen.part);
            break;
        }
        case ViewMode::Flip:
            draw(painter, seen.target, settings.flippedToB ? b : a, seen.part);
            break;
        case ViewMode::Difference:
            draw(painter, seen.target,
                 difference(a, b, seen.part, settings.difference, settings.amplification), all);
            break;
        case ViewMode::Overlay:
            draw(painter, seen.target, overlay(a, b, seen.part, settings.opacity), all);
            break;
        case ViewMode::OnionSkin: {
            std::vector<QImage> before, after;
            for (const QImage& image : frames.before) before.push_back(sized(image, a.size()));
            for (const QImage& image : frames.after) after.push_back(sized(image, a.size()));
            draw(painter, seen.target, onionSkin(b, before, after, seen.part), all);
            break;
        }
    }
}

QString channels(QRgb pixel) {
    return QStringLiteral("%1 %2 %3").arg(qRed(pixel)).arg(qGreen(pixel)).arg(qBlue(pixel));
}

}  // namespace

ClipViewport::ClipViewport(QWidget* parent) : RenderedCanvas(parent, Ground::Covered) {
    setAccessibleName(QStringLiteral("Two clips laid over one another"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    describe();
}

void ClipViewport::setFrames(ViewedFrames frames) {
    m_frames = std::move(frames);
    redraw();
    if (m_probe) emit probeMoved();
}

void ClipViewport::setNames(const QString& a, const QString& b) {
    m_nameA = a;
    m_nameB = b;
    describe();
    update();
}

void ClipViewport::setNote(const QString& note) {
    if (note == m_note) return;
    m_note = note;
    update();
}

void ClipViewport::setSettings(const ViewSettings& settings) {
    if (settings == m_settings) return;
    m_settings = settings;
    describe();
    redraw();
    emit settingsChanged();
}

void ClipViewport::setMode(ViewMode mode) {
    ViewSettings next = m_settings;
    if (mode != next.mode)
        next.mode = mode;
    else if (mode == ViewMode::Flip)
        next.flippedToB = !next.flippedToB;
    else if (mode == ViewMode::Difference)
        next.difference = static_cast<DifferenceKind>((static_cast<int>(next.difference) + 1) % 3);
    setSettings(next);
}

void ClipViewport::changeAmount(int direction) {
    ViewSettings next = m_settings;
    switch (next.mode) {
        case ViewMode::Wipe:
            next.wipePosition = std::clamp(next.wipePosition + direction * kPlaceStep, 0.0, 1.0);
            break;
        case ViewMode::Flip:
            next.flippedToB = !next.flippedToB;
            break;
        case ViewMode::Difference:
            next.amplification = std::clamp(direction > 0 ? next.amplification * 2 : next.amplification / 2,
                                            1, ViewSettings::kMaxAmplification);
            break;
        case ViewMode::Overlay:
            next.opacity = std::clamp(next.opacity + direction * kOpacityStep, 0.0, 1.0);
            break;
        case ViewMode::OnionSkin:
            next.neighbours = std::clamp(next.neighbours + direction, 1, ViewSettings::kMaxNeighbours);
            break;
    }
    setSettings(next);
}

void ClipViewport::turnWipe(int degrees) {
    ViewSettings next = m_settings;
    next.wipeAngle = (next.wipeAngle + degrees + 360) % 360;
    setSettings(next);
}

// -- places

QSize ClipViewport::pictureSize() const {
    return m_frames.a.isNull() ? m_frames.b.size() : m_frames.a.size();
}

QSizeF ClipViewport::room() const {
    return QSizeF(size()) * devicePixelRatioF();
}

QRectF ClipViewport::pictureRect() const {
    const QRectF device = m_panZoom.rectOf(pictureSize(), room());
    const double ratio = devicePixelRatioF();
    return {device.topLeft() / ratio, device.size() / ratio};
}

void ClipViewport::setPanZoom(const PanZoom& place) {
    m_panZoom = place;
    movePicture({});
}

void ClipViewport::fit() {
    m_panZoom.fit();
    redraw();
}

void ClipViewport::showOneToOne() {
    m_panZoom.showOneToOne(pictureSize(), room());
    redraw();
}

void ClipViewport::zoomBy(double factor) {
    m_panZoom.zoomBy(factor, {room().width() / 2, room().height() / 2}, pictureSize(), room());
    redraw();
}

void ClipViewport::movePicture(const QPointF& distance) {
    m_panZoom.moveBy(distance * devicePixelRatioF(), pictureSize(), room());
    redraw();
}

std::optional<QPoint> ClipViewport::pixelAt(const QPointF& position) const {
    const QRectF picture = pictureRect();
    if (!picture.contains(position) || pictureSize().isEmpty()) return std::nullopt;
    return QPoint(
        static_cast<int>((position.x() - picture.left()) / picture.width() * pictureSize().width()),
        static_cast<int>((position.y() - picture.top()) / picture.height() * pictureSize().height()));
}

void ClipViewport::setProbe(std::optional<QPoint> pixel) {
    if (pixel == m_probe) return;
    m_probe = pixel;
    describe();
    update();
    emit probeMoved();
}

void ClipViewport::toggleProbe() {
    if (m_probeHeld) {
        m_probeHeld = false;
        setProbe(std::nullopt);
    } else {
        moveProbe(0, 0);
    }
}

void ClipViewport::moveProbe(int dx, int dy) {
    if (pictureSize().isEmpty()) return;
    const QPoint from = m_probe.value_or(QPoint(pictureSize().width() / 2, pictureSize().height() / 2));
    m_probeHeld = true;
    setProbe(QPoint(std::clamp(from.x() + dx, 0, pictureSize().width() - 1),
                    std::clamp(from.y() + dy, 0, pictureSize().height() - 1)));
}

QString ClipViewport::probeText() const {
    if (!m_probe) return {};
    QStringList values;
    const auto add = [&](const QString& name, const QImage& image) {
        if (image.isNull()) return;
        const QPoint pixel(m_probe->x() * image.width() / std::max(pictureSize().width(), 1),
                           m_probe->y() * image.height() / std::max(pictureSize().height(), 1));
        values << name + QLatin1Char(' ') + channels(image.pixel(pixel));
    };
    add(QStringLiteral("A"), m_frames.a);
    add(QStringLiteral("B"), m_frames.b);
    return QStringLiteral("%1, %2: ").arg(m_probe->x()).arg(m_probe->y()) + values.join(QStringLiteral(", "));
}

void ClipViewport::describe() {
    QString text;
    switch (m_settings.mode) {
        case ViewMode::Wipe:
            text = QStringLiteral("Wipe at %1 %, turned by %2°")
                       .arg(std::lround(100 * m_settings.wipePosition))
                       .arg(m_settings.wipeAngle);
            break;
        case ViewMode::Flip:
            text = m_settings.flippedToB ? QStringLiteral("B alone") : QStringLiteral("A alone");
            break;
        case ViewMode::Difference: {
            static constexpr const char* kKinds[] = {"Signed difference", "Absolute difference",
                                                     "Difference of luma"};
            text = QStringLiteral("%1, amplified %2 times")
                       .arg(QLatin1String(kKinds[static_cast<int>(m_settings.difference)]))
                       .arg(m_settings.amplification);
            break;
        }
        case ViewMode::Overlay:
            text = QStringLiteral("B over A at %1 %").arg(std::lround(100 * m_settings.opacity));
            break;
        case ViewMode::OnionSkin:
            text = QStringLiteral("Onion skin of B over %1 frames each way").arg(m_settings.neighbours);
            break;
    }
    text += QStringLiteral("; A is %1, B is %2").arg(m_nameA, m_nameB);
    if (m_probe) text += QStringLiteral("; pixel ") + probeText();
    setAccessibleDescription(text);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

// -- painting

RenderedCanvas::Drawing ClipViewport::drawing() const {
    return [frames = m_frames, settings = m_settings, picture = m_panZoom.rectOf(pictureSize(), room()),
            pixels = room().toSize(), ratio = devicePixelRatioF(),
            ground = colors().window](QPainter& painter, const std::stop_token&) {
        painter.scale(1 / ratio, 1 / ratio);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.fillRect(QRect(QPoint(), pixels), ground);
        drawFrames(painter, frames, settings, picture, pixels);
    };
}

void ClipViewport::paintBackground(QPainter& painter) const {
    painter.fillRect(rect(), colors().window);
}

void ClipViewport::paintForeground(QPainter& painter) const {
    if (pictureSize().isEmpty()) {
        painter.setPen(colors().textMuted);
        painter.setFont(Theme::font(TextStyle::Body));
        painter.drawText(rect().adjusted(space::k32, 0, -space::k32, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         m_note);
        return;
    }
    const QRectF picture = pictureRect();
    painter.save();
    painter.setClipRect(picture & QRectF(rect()));
    if (m_settings.mode == ViewMode::Wipe && !m_frames.a.isNull() && !m_frames.b.isNull())
        paintWipe(painter, picture);
    if (m_probe) paintProbe(painter, picture);
    painter.restore();
    paintNames(painter);
}

void ClipViewport::paintWipe(QPainter& painter, const QRectF& picture) const {
    const QLineF line = wipeLine(picture, m_settings.wipePosition, m_settings.wipeAngle);
    painter.setPen(QPen(QColor(0, 0, 0, 120), 3));
    painter.drawLine(line);
    painter.setPen(QPen(Qt::white, 1));
    painter.drawLine(line);
    painter.setPen(QPen(QColor(0, 0, 0, 120), 1));
    painter.setBrush(Qt::white);
    painter.drawEllipse(line.center(), 5, 5);
}

void ClipViewport::paintProbe(QPainter& painter, const QRectF& picture) const {
    const double across = picture.width() / pictureSize().width(),
                 down = picture.height() / pictureSize().height();
    const QRectF pixel(picture.left() + m_probe->x() * across, picture.top() + m_probe->y() * down, across,
                       down);
    painter.setBrush(Qt::NoBrush);
    const QRectF frame = pixel.adjusted(-2, -2, 2, 2);
    painter.setPen(QPen(QColor(0, 0, 0, 160), 3));
    painter.drawRect(frame);
    painter.setPen(QPen(Qt::white, 1));
    painter.drawRect(frame);
}

void ClipViewport::paintNames(QPainter& painter) const {
    painter.setFont(Theme::font(TextStyle::Strong));
    // Pictures are dark or bright in any theme: always white on black.
    const auto badge = [&](const QString& text, Qt::Alignment side) {
        if (text.isEmpty()) return;
        const QString shown =
            painter.fontMetrics().elidedText(text, Qt::ElideRight, width() / 2 - space::k32);
        const int breadth = painter.fontMetrics().horizontalAdvance(shown) + space::k16;
        QRect box(space::k12, space::k12, breadth, 24);
        if (side & Qt::AlignRight) box.moveRight(width() - space::k12);
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(0, 0, 0, 150));
        painter.drawRoundedRect(box, 4, 4);
        painter.setPen(Qt::white);
        painter.drawText(box, Qt::AlignCenter, shown);
    };
    const QString a = QStringLiteral("A  ") + m_nameA, b = QStringLiteral("B  ") + m_nameB;
    switch (m_settings.mode) {
        case ViewMode::Flip:
            badge(m_settings.flippedToB ? b : a, m_settings.flippedToB ? Qt::AlignRight : Qt::AlignLeft);
            break;
        case ViewMode::OnionSkin:
            badge(b, Qt::AlignRight);
            break;
        default: {
            // Turned by more than a right angle, A's side is the right one.
            const bool swapped =
                m_settings.mode == ViewMode::Wipe && m_settings.wipeAngle > 90 && m_settings.wipeAngle < 270;
            badge(a, swapped ? Qt::AlignRight : Qt::AlignLeft);
            badge(b, swapped ? Qt::AlignLeft : Qt::AlignRight);
        }
    }
    if (hasFocus()) {
        painter.setPen(QPen(colors().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

// -- events

bool ClipViewport::isNearWipe(const QPointF& position) const {
    if (m_settings.mode != ViewMode::Wipe || pictureSize().isEmpty()) return false;
    const QLineF line = wipeLine(pictureRect(), m_settings.wipePosition, m_settings.wipeAngle);
    const QPointF along = line.p2() - line.p1(), from = position - line.p1();
    const double length = std::max(line.length(), 1.0);
    return std::abs(along.x() * from.y() - along.y() * from.x()) / length <= kGrabDistance;
}

void ClipViewport::mousePressEvent(QMouseEvent* event) {
    m_dragged = event->position();
    if (event->button() == Qt::LeftButton && isNearWipe(event->position()))
        m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Turn : Drag::Wipe;
    else
        m_drag = Drag::Picture;
}

void ClipViewport::mouseMoveEvent(QMouseEvent* event) {
    const QPointF position = event->position();
    ViewSettings next = m_settings;
    switch (m_drag) {
        case Drag::Wipe:
            next.wipePosition = wipePositionAt(pictureRect(), position, next.wipeAngle);
            break;
        case Drag::Turn: {
            // The line follows the pointer around the picture's middle, by the end that was taken.
            const QPointF from = position - pictureRect().center();
            const int one =
                static_cast<int>(std::lround(std::atan2(from.y(), from.x()) * 180 / std::numbers::pi)) + 450;
            const int turned = std::abs((one - next.wipeAngle + 540) % 360 - 180);
            next.wipeAngle = (turned <= 90 ? one : one + 180) % 360;
            break;
        }
        case Drag::Picture:
            movePicture(position - m_dragged);
            break;
        case Drag::None:
            setCursor(isNearWipe(position) ? Qt::SizeHorCursor : Qt::CrossCursor);
            break;
    }
    m_dragged = position;
    setSettings(next);
    if (!m_probeHeld) setProbe(pixelAt(position));
}

void ClipViewport::mouseReleaseEvent(QMouseEvent*) {
    m_drag = Drag::None;
}

void ClipViewport::mouseDoubleClickEvent(QMouseEvent*) {
    if (m_panZoom.isFit())
        showOneToOne();
    else
        fit();
}

void ClipViewport::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    m_panZoom.zoomBy(std::pow(ClipViewport::kZoomStep, notches), event->position() * devicePixelRatioF(),
                     pictureSize(), room());
    redraw();
    event->accept();
}

void ClipViewport::leaveEvent(QEvent* event) {
    RenderedCanvas::leaveEvent(event);
    if (!m_probeHeld) setProbe(std::nullopt);
}

void ClipViewport::focusInEvent(QFocusEvent* event) {
    RenderedCanvas::focusInEvent(event);
    update();
}

void ClipViewport::focusOutEvent(QFocusEvent* event) {
    RenderedCanvas::focusOutEvent(event);
    update();
}

}  // namespace dailies::ui
