#include "ui/review/wall_view.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kNarrow = 120;  ///< tiles below this width show the least of the HUD

QColor adherenceColor(double adherence) {
    // Pictures are dark or bright in any theme, and the HUD's ground is black: always the dark theme's
    // colours.
    const Palette& p = palette(ThemeMode::Dark);
    return adherence > 0.99 ? p.success : adherence > 0.5 ? p.warning : p.danger;
}

/// What rounds the corners of an opaque picture: a clip path would cost an antialiased fill of the whole
/// tile.
QPainterPath cornersOf(const QRect& rect) {
    QPainterPath outside, inside;
    outside.addRect(rect);
    inside.addRoundedRect(rect, kRadius, kRadius);
    return outside - inside;
}

/// The tile says which clip it is already, and its folder would fill it.
QString withoutFolder(QString message, const std::string& file) {
    return message.remove(QString::fromStdString(file.substr(0, file.rfind('/') + 1)));
}

void drawElided(QPainter& painter, const QRect& rect, int flags, const QString& text) {
    painter.drawText(rect, flags, painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

}  // namespace

WallView::WallView(ClipPlayer& player, QWidget* parent) : QAbstractScrollArea(parent), m_player(player) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QStringLiteral("Wall of clips"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    verticalScrollBar()->setSingleStep(space::k32);
    connect(&m_player, &ClipPlayer::pictureChanged, this, &WallView::repaintTiles);
}

void WallView::setScene(WallScene scene) {
    const auto runsOf = [](const WallScene& s) {
        std::vector<std::string> ids;
        for (const auto& column : s.columns) ids.push_back(column.runId);
        return ids;
    };
    const std::vector<std::string> before = runsOf(m_scene), after = runsOf(scene);
    if (before != after || scene.rows != m_scene.rows) m_lastPictures.clear();
    // The selection belongs to a run, wherever its column is now.
    if (m_column < static_cast<int>(before.size())) {
        const auto same = std::find(after.begin(), after.end(), before[static_cast<std::size_t>(m_column)]);
        if (same != after.end()) m_column = static_cast<int>(same - after.begin());
    }
    m_scene = std::move(scene);
    m_column = std::clamp(m_column, 0, std::max(static_cast<int>(m_scene.columns.size()) - 1, 0));
    m_row = std::clamp(m_row, 0, std::max(static_cast<int>(m_scene.rows.size()) - 1, 0));
    arrange();
    announceSelection();
}

void WallView::setZoomed(bool zoomed) {
    if (zoomed == m_zoomed || (zoomed && m_scene.tiles.empty())) return;
    m_zoomed = zoomed;
    m_lastPictures.clear();
    arrange();
    emit zoomChanged(zoomed);
}

void WallView::select(int column, int row) {
    m_column = column;
    m_row = row;
    if (m_scene.tiles.empty()) return;
    if (m_zoomed) arrange();
    if (const WallLayout::Tile* tile = findTile(column, row)) {
        QScrollBar* bar = verticalScrollBar();
        if (tile->rect.top() - WallLayout::kHeaderHeight < bar->value())
            bar->setValue(tile->rect.top() - WallLayout::kHeaderHeight);
        else if (tile->rect.bottom() > bar->value() + viewport()->height())
            bar->setValue(tile->rect.bottom() + space::k16 - viewport()->height());
    }
    announceSelection();
    viewport()->update();
}

void WallView::announceSelection() {
    if (m_scene.tiles.empty()) return;
    const QString description = m_scene.describe(m_column, m_row);
    if (description == accessibleDescription()) return;
    setAccessibleDescription(description);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

void WallView::moveSelection(int columns, int rows) {
    if (m_scene.tiles.empty()) return;
    select(std::clamp(m_column + columns, 0, static_cast<int>(m_scene.columns.size()) - 1),
           std::clamp(m_row + rows, 0, static_cast<int>(m_scene.rows.size()) - 1));
}

// -- layout

void WallView::arrange() {
    const QSize room = viewport()->size();
    m_layout = m_zoomed && !m_scene.tiles.empty()
                   ? WallLayout::single(room, m_column, m_row)
                   : WallLayout::arrange(room, static_cast<int>(m_scene.columns.size()),
                                         static_cast<int>(m_scene.rows.size()), m_scene.aspect);
    verticalScrollBar()->setPageStep(room.height());
    verticalScrollBar()->setRange(0, m_layout.size.height() - room.height());
    m_lastPictures.resize(m_layout.tiles.size());
    playVisible();
    viewport()->update();
}

void WallView::playVisible() {
    std::vector<PlayedClip> clips;
    double fastest = 0;
    const QRect seen(scrolled(), viewport()->size());
    for (const WallLayout::Tile& tile : m_layout.tiles) {
        if (!tile.rect.intersects(seen)) continue;
        if (auto clip = playedClip(tile)) {
            clips.push_back(std::move(*clip));
            fastest = std::max(fastest, m_scene.tile(tile.column, tile.row).fps);
        }
    }
    m_player.playhead().setRate(fastest);
    m_player.setClips(std::move(clips));
}

std::optional<PlayedClip> WallView::playedClip(const WallLayout::Tile& tile) const {
    const WallScene::Tile& scene = m_scene.tile(tile.column, tile.row);
    if (scene.file.empty()) return std::nullopt;
    return PlayedClip{scene.file, scene.frames, boxOf(tile.rect)};
}

QSize WallView::boxOf(const QRect& tile) const {
    const double ratio = viewport()->devicePixelRatioF();
    return {static_cast<int>(tile.width() * ratio), static_cast<int>(tile.height() * ratio)};
}

QPoint WallView::scrolled() const {
    return {0, verticalScrollBar()->value()};
}

const WallLayout::Tile* WallView::tileAt(QPoint place) const {
    for (const WallLayout::Tile& tile : m_layout.tiles)
        if (tile.rect.contains(place + scrolled())) return &tile;
    return nullptr;
}

const WallLayout::Tile* WallView::findTile(int column, int row) const {
    for (const WallLayout::Tile& tile : m_layout.tiles)
        if (tile.column == column && tile.row == row) return &tile;
    return nullptr;
}

// -- painting

void WallView::repaintTiles() {
    QRegion region;
    for (const WallLayout::Tile& tile : m_layout.tiles) region += tile.rect.translated(-scrolled());
    viewport()->update(region);
}

void WallView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const QRegion& region = event->region();
    for (const QRect& rect : region) painter.fillRect(rect, colors().window);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-scrolled());
    const auto isDirty = [&](const QRect& rect) { return region.intersects(rect.translated(-scrolled())); };
    for (const auto& header : m_layout.headers)
        if (isDirty(header.rect)) paintHeader(painter, header);
    for (const auto& label : m_layout.labels)
        if (isDirty(label.rect)) paintLabel(painter, label);
    for (const auto& tile : m_layout.tiles)
        if (isDirty(tile.rect)) paintTile(painter, tile);
}

void WallView::paintHeader(QPainter& painter, const WallLayout::Header& header) const {
    const Palette& p = colors();
    const WallScene::Column& column = m_scene.columns[static_cast<std::size_t>(header.column)];
    const QRect name(header.rect.left() + space::k16, header.rect.top(), header.rect.width() - space::k16,
                     20);
    painter.setPen(Qt::NoPen);
    painter.setBrush(column.color);
    painter.drawEllipse(QPointF(header.rect.left() + 5, name.center().y() + 1), 4.5, 4.5);
    painter.setFont(Theme::font(TextStyle::Strong));
    painter.setPen(p.text);
    QString title = column.name;
    if (m_zoomed)
        title += QStringLiteral("  ·  ") + inert(m_scene.rows[static_cast<std::size_t>(m_row)].prompt);
    drawElided(painter, name, Qt::AlignLeft | Qt::AlignVCenter, title);

    QRect second(header.rect.left(), name.bottom() + 1, header.rect.width(), 16);
    const QRect statusPlace(second.left() - 1, second.center().y() - 5, 12, 12);
    icon(column.statusIcon, column.statusColor).paint(&painter, statusPlace);
    second.setLeft(name.left());
    painter.setFont(Theme::font(TextStyle::Caption));
    if (column.best) {
        const QRect star(second.left() - 1, second.center().y() - 5, 12, 12);
        icon(QStringLiteral("star"), p.warning).paint(&painter, star);
        second.setLeft(second.left() + space::k16);
    }
    painter.setPen(column.best ? p.text : p.textMuted);
    drawElided(painter, second, Qt::AlignLeft | Qt::AlignVCenter,
               column.metric.isEmpty() ? column.status : column.metric);
}

void WallView::paintLabel(QPainter& painter, const WallLayout::Label& label) const {
    const ReviewRow& row = m_scene.rows[static_cast<std::size_t>(label.row)];
    const QRect text = label.rect.adjusted(0, space::k4, 0, 0);
    painter.setFont(Theme::font(TextStyle::Body));
    painter.setPen(colors().text);
    QRect used;
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, inert(row.prompt), &used);
    if (!m_scene.severalSeeds) return;
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(colors().textFaint);
    painter.drawText(text.adjusted(0, used.height() + space::k4, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                     QStringLiteral("seed %1").arg(row.seed));
}

void WallView::paintTile(QPainter& painter, const WallLayout::Tile& place) {
    const Palette& p = colors();
    const WallScene::Tile& tile = m_scene.tile(place.column, place.row);
    const auto clip = playedClip(place);
    const DecodedFrame* frame = clip ? m_player.current(*clip) : nullptr;
    QImage& picture = m_lastPictures[static_cast<std::size_t>(&place - m_layout.tiles.data())];
    if (frame) picture = frame->image;
    if (!clip) picture = {};

    if (!picture.isNull()) {
        const double ratio = viewport()->devicePixelRatioF();
        const QSizeF shown = QSizeF(picture.size()) / ratio;
        const QPointF corner = place.rect.topLeft() + QPointF((place.rect.width() - shown.width()) / 2,
                                                              (place.rect.height() - shown.height()) / 2);
        if (shown.width() < place.rect.width() || shown.height() < place.rect.height())
            painter.fillRect(place.rect, m_zoomed ? p.window : p.surface);
        // On whole device pixels, else every picture would be resampled while it is painted.
        const QPointF whole(std::round(corner.x() * ratio) / ratio, std::round(corner.y() * ratio) / ratio);
        painter.drawImage(QRectF(whole, shown), picture);
        if (!m_zoomed) painter.fillPath(cornersOf(place.rect), p.window);
        paintHud(painter, m_zoomed ? QRectF(whole, shown).toAlignedRect() : place.rect, tile);
    } else {
        painter.fillRect(place.rect, p.window);
        painter.setPen(p.border);
        painter.setBrush(p.surface);
        painter.drawRoundedRect(QRectF(place.rect).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
        if (frame && !frame->error.isEmpty())
            paintNote(painter, place.rect, QStringLiteral("error"), withoutFolder(frame->error, tile.file),
                      p.danger);
        else if (!clip)
            paintNote(
                painter, place.rect, tile.step >= 0 ? QStringLiteral("cluster") : QStringLiteral("clock"),
                tile.step >= 0 ? QStringLiteral("Step %1\n%2").arg(tile.step).arg(tile.note) : tile.note,
                p.textMuted);
    }
    if (place.column == m_column && place.row == m_row && !m_zoomed) {
        painter.setPen(QPen(hasFocus() ? p.accent : p.borderStrong, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(place.rect).adjusted(1, 1, -1, -1), kRadius, kRadius);
    }
}

void WallView::paintNote(QPainter& painter, const QRect& rect, const QString& iconName, const QString& text,
                         const QColor& color) const {
    constexpr int kIcon = 20;
    const QRect inner = rect.adjusted(space::k8, space::k8, -space::k8, -space::k8);
    painter.setFont(Theme::font(TextStyle::Caption));
    constexpr int kFlags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
    // A file's name has no spaces to break at.
    const bool longWords = painter.boundingRect(inner, kFlags, text).width() > inner.width();
    const int flags = longWords ? Qt::AlignHCenter | Qt::AlignTop | Qt::TextWrapAnywhere : kFlags;
    const int textHeight = painter.boundingRect(inner, flags, text).height();
    const int top = std::max(inner.center().y() - (kIcon + space::k8 + textHeight) / 2, inner.top());
    icon(iconName, color).paint(&painter, QRect(inner.center().x() - kIcon / 2, top, kIcon, kIcon));
    painter.setPen(colors().textMuted);
    painter.drawText(
        QRect(inner.left(), top + kIcon + space::k8, inner.width(), inner.bottom() - top - kIcon - space::k8),
        flags, text);
}

void WallView::paintHud(QPainter& painter, const QRect& rect, const WallScene::Tile& tile) const {
    const bool narrow = rect.width() < kNarrow;
    QString text = QString::number(tile.step);
    if (!narrow) text.prepend(QStringLiteral("step "));
    const QString mark =
        !tile.adherence ? QString()
        : narrow        ? QString::number(static_cast<int>(std::lround(*tile.adherence * 100)))
                        : QStringLiteral("%1 %").arg(static_cast<int>(std::lround(*tile.adherence * 100)));
    painter.setFont(Theme::font(TextStyle::Caption));
    const QFontMetrics metrics = painter.fontMetrics();
    constexpr int kHeight = 20, kInset = 6, kDot = 6;
    const auto pill = [&](int width) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(0, 0, 0, 165));
        const QRect place(0, rect.bottom() - kInset - kHeight + 1, width, kHeight);
        return place;
    };
    const Palette& dark = dailies::ui::palette(ThemeMode::Dark);

    QRect left = pill(metrics.horizontalAdvance(text) + 2 * kInset + (tile.earlier ? space::k16 : 0));
    left.moveLeft(rect.left() + kInset);
    painter.drawRoundedRect(left, 4, 4);
    if (tile.earlier)
        icon(QStringLiteral("clock"), dark.warning)
            .paint(&painter, QRect(left.left() + 5, left.top() + 4, 12, 12));
    painter.setPen(tile.earlier ? dark.warning : dark.text);
    painter.drawText(left.adjusted(kInset, 0, -kInset, 0), Qt::AlignRight | Qt::AlignVCenter, text);
    if (mark.isEmpty()) return;

    QRect right = pill(metrics.horizontalAdvance(mark) + 2 * kInset + kDot + space::k4);
    right.moveRight(rect.right() - kInset);
    if (right.left() <= left.right()) return;
    painter.drawRoundedRect(right, 4, 4);
    painter.setBrush(adherenceColor(*tile.adherence));
    painter.drawEllipse(QRect(right.left() + kInset, right.center().y() - kDot / 2 + 1, kDot, kDot));
    painter.setPen(dark.text);
    painter.drawText(right.adjusted(kInset, 0, -kInset, 0), Qt::AlignRight | Qt::AlignVCenter, mark);
}

// -- events

void WallView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    m_lastPictures.clear();
    arrange();
}

void WallView::scrollContentsBy(int, int) {
    playVisible();
    viewport()->update();
}

void WallView::mousePressEvent(QMouseEvent* event) {
    if (const WallLayout::Tile* tile = tileAt(event->position().toPoint())) select(tile->column, tile->row);
}

void WallView::mouseDoubleClickEvent(QMouseEvent* event) {
    const WallLayout::Tile* tile = tileAt(event->position().toPoint());
    if (!tile) return;
    select(tile->column, tile->row);
    setZoomed(!m_zoomed);
}

void WallView::keyPressEvent(QKeyEvent* event) {
    // Plain arrows are frames and steps, which the page handles; with Shift they walk over the tiles.
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
        case Qt::Key_Left:
            return shift ? moveSelection(-1, 0) : event->ignore();
        case Qt::Key_Right:
            return shift ? moveSelection(1, 0) : event->ignore();
        case Qt::Key_Up:
            return shift ? moveSelection(0, -1) : event->ignore();
        case Qt::Key_Down:
            return shift ? moveSelection(0, 1) : event->ignore();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return setZoomed(true);
        case Qt::Key_Escape:
            return m_zoomed ? setZoomed(false) : event->ignore();
        default:
            event->ignore();
    }
}

bool WallView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QString text;
        for (const auto& header : m_layout.headers)
            if (header.rect.contains(help->pos() + scrolled()))
                text = m_scene.columns[static_cast<std::size_t>(header.column)].details;
        if (const WallLayout::Tile* tile = tileAt(help->pos()))
            text = m_scene.describe(tile->column, tile->row);
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace dailies::ui
