#include "ui/datasets/clip_wall.h"

#include "core/base/text.h"
#include "ui/datasets/measure_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kLeastTile = 168, kLeastTileSideBySide = 300;
constexpr int kGap = space::k12, kMargin = space::k16;
constexpr int kRowsAhead = 1;  ///< decoded before they come into view

}  // namespace

ClipWall::ClipWall(DatasetModel& model, QWidget* parent)
    : QAbstractScrollArea(parent), m_model(model), m_thumbnails(model) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Clips"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    const auto repaint = [this] { viewport()->update(); };
    connect(&m_thumbnails, &ClipThumbnails::arrived, this, repaint);
    connect(&m_player, &SpanPlayer::pictureChanged, this, repaint);
    connect(&m_model, &DatasetModel::judged, this, repaint);
}

void ClipWall::setOrder(std::vector<std::uint32_t> order, std::optional<curation::Measure> sortedBy) {
    const auto before = selected();
    m_order = std::move(order);
    m_sortedBy = sortedBy;
    if (before) {
        const auto found = std::ranges::find(m_order, *before);
        m_position = found != m_order.end() ? static_cast<int>(found - m_order.begin())
                                            : std::min(m_position, static_cast<int>(m_order.size()) - 1);
    }
    if (m_order.empty()) setLarge(false);
    if (m_position < 0 && !m_order.empty()) m_position = 0;
    arrange();
    if (selected() != before) {
        stopPlaying();
        if (m_large && selected()) showSelected();
        announce();
        emit selectionChanged();
    }
}

void ClipWall::forget() {
    m_thumbnails.forget();
    m_player.stop();
    m_order.clear();
    m_position = -1;
    verticalScrollBar()->setValue(0);
}

std::optional<std::uint32_t> ClipWall::selected() const {
    if (m_position < 0 || m_position >= static_cast<int>(m_order.size())) return std::nullopt;
    return m_order[static_cast<std::size_t>(m_position)];
}

void ClipWall::select(int position) {
    if (m_order.empty()) return;
    const bool wasPlaying = isPlaying();
    m_position = std::clamp(position, 0, static_cast<int>(m_order.size()) - 1);
    stopPlaying();
    if (m_large) {
        showSelected();
        if (wasPlaying) togglePlaying();
    } else {
        const QRect tile = gridRect(m_position);
        QScrollBar* bar = verticalScrollBar();
        if (tile.top() - kGap < bar->value())
            bar->setValue(tile.top() - kGap);
        else if (tile.bottom() + kGap > bar->value() + viewport()->height())
            bar->setValue(tile.bottom() + kGap - viewport()->height());
    }
    announce();
    viewport()->update();
    emit selectionChanged();
}

void ClipWall::setSideBySide(bool on) {
    if (on == m_sideBySide) return;
    m_sideBySide = on;
    arrange();
}

void ClipWall::announce() {
    const auto clip = selected();
    QString text;
    if (clip) {
        const auto reasons = m_model.judgement().reasons[*clip];
        text = tr("Clip %1 of %2, %3, %4")
                   .arg(m_position + 1)
                   .arg(m_order.size())
                   .arg(lengthText(m_model.clips()[*clip].duration()),
                        reasons == 0 ? tr("kept")
                                     : tr("dropped: %1").arg(reasonsText(m_model.clips(), reasons)));
    }
    if (text == accessibleDescription()) return;
    setAccessibleDescription(text);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

// -- playing

void ClipWall::showSelected() {
    const auto clip = selected();
    if (!clip) return;
    QSize room = viewport()->size();
    if (!m_large) room = m_grid.tile - QSize(0, kTileCaption);
    m_player.show(m_model.placeOf(*clip), room * viewport()->devicePixelRatioF());
    viewport()->update();
}

void ClipWall::stopPlaying() {
    m_player.stop();
    emit playingChanged();
}

void ClipWall::togglePlaying() {
    if (!selected()) return;
    if (!m_player.isActive()) showSelected();
    m_player.toggle();
    emit playingChanged();
}

void ClipWall::setLarge(bool large) {
    if (large == m_large || (large && !selected())) return;
    m_large = large;
    setVerticalScrollBarPolicy(large ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
    if (large) {
        m_thumbnails.pause();
        showSelected();
    } else {
        stopPlaying();
        arrange();
        select(m_position);
    }
    viewport()->update();
    emit largeChanged(large);
}

// -- layout

int ClipWall::rowHeight() const {
    return m_grid.tile.height() + kGap;
}

void ClipWall::arrange() {
    const int room = viewport()->width() - 2 * kMargin;
    const int least = m_sideBySide ? kLeastTileSideBySide : kLeastTile;
    m_grid.columns = std::max(1, (room + kGap) / (least + kGap));
    if (m_sideBySide) m_grid.columns = std::clamp(static_cast<int>(m_order.size()), 1, m_grid.columns);
    const int width = std::max(1, (room - (m_grid.columns - 1) * kGap) / m_grid.columns);
    m_grid.tile = {width, width * 9 / 16 + kTileCaption};
    const int rows = (static_cast<int>(m_order.size()) + m_grid.columns - 1) / m_grid.columns;
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(rowHeight() / 3);
    verticalScrollBar()->setRange(
        0, std::max(0, 2 * kMargin - kGap + rows * rowHeight() - viewport()->height()));
    wantVisible();
    viewport()->update();
}

QRect ClipWall::gridRect(int position) const {
    const int column = position % m_grid.columns, row = position / m_grid.columns;
    return {kMargin + column * (m_grid.tile.width() + kGap), kMargin + row * rowHeight(), m_grid.tile.width(),
            m_grid.tile.height()};
}

QRect ClipWall::tileRect(int position) const {
    if (m_large || position < 0 || position >= static_cast<int>(m_order.size())) return {};
    const QRect rect = gridRect(position).translated(0, -verticalScrollBar()->value());
    return rect.intersects(viewport()->rect()) ? rect : QRect();
}

int ClipWall::positionAt(QPoint place) const {
    const int y = place.y() + verticalScrollBar()->value() - kMargin, x = place.x() - kMargin;
    if (x < 0 || y < 0) return -1;
    const int column = x / (m_grid.tile.width() + kGap), row = y / rowHeight();
    const int position = row * m_grid.columns + column;
    if (column >= m_grid.columns || position >= static_cast<int>(m_order.size())) return -1;
    return gridRect(position).contains(place + QPoint(0, verticalScrollBar()->value())) ? position : -1;
}

void ClipWall::wantVisible() {
    if (!isVisible() || m_large) return;
    const int firstRow = std::max(0, (verticalScrollBar()->value() - kMargin) / rowHeight());
    const int rows = viewport()->height() / rowHeight() + 2 + kRowsAhead;
    const auto first = static_cast<std::size_t>(firstRow * m_grid.columns);
    const auto end = std::min(m_order.size(), first + static_cast<std::size_t>(rows * m_grid.columns));
    std::vector<std::uint32_t> visible;
    for (auto i = first; i < end; ++i) visible.push_back(m_order[i]);
    m_thumbnails.want(visible, (m_grid.tile - QSize(0, kTileCaption)) * viewport()->devicePixelRatioF());
}

void ClipWall::reveal(int position) {
    if (m_large) setLarge(false);
    const QRect tile = gridRect(std::clamp(position, 0, std::max(0, static_cast<int>(m_order.size()) - 1)));
    verticalScrollBar()->setValue(tile.center().y() - viewport()->height() / 2);
}

// -- painting

ClipTile ClipWall::tileOf(int position) {
    const auto clip = m_order[static_cast<std::size_t>(position)];
    ClipTile tile;
    if (const auto* thumbnail = m_thumbnails.find(clip)) {
        tile.picture = thumbnail->image;
        tile.problem = thumbnail->error;
    }
    tile.selected = position == m_position;
    tile.focused = hasFocus();
    if (tile.selected && m_player.isActive()) {
        if (const auto* frame = m_player.current(); frame && !frame->image.isNull())
            tile.picture = frame->image;
        tile.progress = (m_player.frame() + 1.0) / m_player.frames();
    }
    const auto& record = m_model.clips()[clip];
    tile.length = lengthText(record.duration());
    if (m_sideBySide)
        tile.number = QStringLiteral("%1×%2").arg(record.crop.width).arg(record.crop.height);
    else if (m_sortedBy)
        tile.number = valueText(m_model.clips(), *m_sortedBy, m_model.clips().column(*m_sortedBy)[clip]);
    tile.reasons = reasonsText(m_model.clips(), m_model.judgement().reasons[clip]);
    tile.dimmed = !tile.reasons.isEmpty() && !m_sideBySide;  // pictures are to be compared there
    tile.correction = m_model.correction(clip);
    return tile;
}

void ClipWall::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), colors().window);
    if (m_large) return paintLarge(painter);
    const int first = std::max(0, (verticalScrollBar()->value() - kMargin) / rowHeight()) * m_grid.columns;
    for (int i = first; i < static_cast<int>(m_order.size()); ++i) {
        const QRect rect = tileRect(i);
        if (rect.isEmpty() && gridRect(i).top() > verticalScrollBar()->value()) break;
        if (!rect.isEmpty()) paintClipTile(painter, rect, tileOf(i));
    }
}

void ClipWall::paintLarge(QPainter& painter) {
    const auto clip = selected();
    if (!clip) return;
    const auto* frame = m_player.current();
    if (frame && !frame->image.isNull()) {
        paintCentred(painter, viewport()->rect(), frame->image);
    } else if (frame) {
        painter.setPen(colors().danger);
        painter.drawText(viewport()->rect().adjusted(kMargin, kMargin, -kMargin, -kMargin),
                         Qt::AlignCenter | Qt::TextWordWrap, frame->error);
    } else if (const auto* thumbnail = m_thumbnails.find(*clip); thumbnail && !thumbnail->image.isNull()) {
        // something to look at until its own is there
        const QSize shown = thumbnail->image.size().scaled(viewport()->size(), Qt::KeepAspectRatio);
        QRect place({}, shown);
        place.moveCenter(viewport()->rect().center());
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.drawImage(place, thumbnail->image);
    }
    const double progress = (m_player.frame() + 1.0) / std::max(1, m_player.frames());
    painter.fillRect(QRectF(0, viewport()->height() - 3.0, viewport()->width() * progress, 3),
                     colors().accent);
}

// -- events

void ClipWall::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    arrange();
    if (m_player.isActive()) showSelected();
}

void ClipWall::scrollContentsBy(int, int) {
    wantVisible();
    viewport()->update();
}

void ClipWall::mousePressEvent(QMouseEvent* event) {
    if (m_large) return;
    if (const int position = positionAt(event->position().toPoint()); position >= 0) select(position);
}

void ClipWall::mouseDoubleClickEvent(QMouseEvent* event) {
    if (m_large || positionAt(event->position().toPoint()) == m_position) setLarge(!m_large);
}

void ClipWall::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) return event->ignore();
    const int row = m_large ? 1 : m_grid.columns;
    const int page = std::max(1, viewport()->height() / rowHeight()) * row;
    const int last = static_cast<int>(m_order.size()) - 1;
    switch (event->key()) {
        case Qt::Key_Left:
            return select(std::max(m_position - 1, 0));
        case Qt::Key_Right:
            return select(m_position + 1);
        case Qt::Key_Up:
            return m_position - row >= 0 ? select(m_position - row) : void();
        case Qt::Key_Down:
            return m_position + row <= last ? select(m_position + row) : void();
        case Qt::Key_PageUp:
            return select(std::max(m_position - page, 0));
        case Qt::Key_PageDown:
            return select(m_position + page);
        case Qt::Key_Home:
            return select(0);
        case Qt::Key_End:
            return select(last);
        case Qt::Key_Space:
            return togglePlaying();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return setLarge(true);
        case Qt::Key_Escape:
            return m_large ? setLarge(false) : event->ignore();
        default:
            event->ignore();
    }
}

void ClipWall::showEvent(QShowEvent* event) {
    QAbstractScrollArea::showEvent(event);
    wantVisible();
}

void ClipWall::hideEvent(QHideEvent* event) {
    QAbstractScrollArea::hideEvent(event);
    m_thumbnails.pause();
    stopPlaying();
}

bool ClipWall::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();
    return QAbstractScrollArea::event(event);
}

}  // namespace dailies::ui
