#include "ui/wall/wall_view.h"

#include "ui/theme/theme.h"
#include "ui/viewport/clip_viewport.h"
#include "ui/widgets/widgets.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTimer>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kFillPaintMs = 50;
constexpr double kSquaresFrom = 3;  ///< enlarged so far, a clip's pixels are shown as squares

/// As plain text: a prompt may hold what looks like markup.
QString asPlainTip(const QString& text) {
    if (text.isEmpty()) return {};
    return QStringLiteral("<span>") + text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")) +
           QStringLiteral("</span>");
}

}  // namespace

WallView::WallView(ClipPlayer& player, QWidget* parent) : QAbstractScrollArea(parent), m_player(player) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(QStringLiteral("Wall of clips"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    verticalScrollBar()->setSingleStep(space::k32);
    // While a wall fills, every picture that comes would paint all the others again.
    auto* fill = new QTimer(this);
    fill->setSingleShot(true);
    fill->setInterval(kFillPaintMs);
    connect(fill, &QTimer::timeout, this, &WallView::repaintTiles);
    connect(&m_player, &ClipPlayer::pictureChanged, this, [this, fill] {
        if (m_player.hasPictures()) {
            fill->stop();
            repaintTiles();
        } else if (!fill->isActive()) {
            fill->start();
        }
    });
}

void WallView::setScene(WallScene scene) {
    const auto idsOf = [](const std::vector<WallScene::Heading>& headings) {
        std::vector<std::string> ids;
        for (const auto& heading : headings) ids.push_back(heading.id);
        return ids;
    };
    // The selection belongs to a run (step, prompt, …), wherever its column or row is now.
    const auto follow = [&](int& selected, const auto& before, const auto& after) {
        if (selected < static_cast<int>(before.size())) {
            const auto same =
                std::find(after.begin(), after.end(), before[static_cast<std::size_t>(selected)]);
            if (same != after.end()) selected = static_cast<int>(same - after.begin());
        }
        selected = std::clamp(selected, 0, std::max(static_cast<int>(after.size()) - 1, 0));
        return before == after;
    };
    const bool sameColumns = follow(m_column, idsOf(m_scene.columns), idsOf(scene.columns));
    const bool sameRows = follow(m_row, idsOf(m_scene.rows), idsOf(scene.rows));
    if (!sameColumns || !sameRows) m_lastPictures.clear();
    m_scene = std::move(scene);
    arrange();
    announceSelection();
    emit selectionChanged();
}

void WallView::setZoomed(bool zoomed) {
    if (zoomed == m_zoomed || (zoomed && m_scene.tiles.empty())) return;
    m_zoomed = zoomed;
    if (const auto* tile = findTile(m_column, m_row); zoomed && tile)
        m_player.clearFetchError(m_scene.tile(m_column, m_row).file);
    m_lastPictures.clear();
    arrange();
    emit zoomChanged(zoomed);
}

void WallView::setPanZoom(const PanZoom& place) {
    if (place == m_panZoom) return;
    m_panZoom = place;
    placeChanged();
}

void WallView::enlargePictures(double factor) {
    const WallLayout::Tile* tile = findTile(m_column, m_row);
    if (!tile) return;
    PanZoom place = m_panZoom;
    const QSizeF room = roomOf(tile->rect);
    place.zoomBy(factor, {room.width() / 2, room.height() / 2}, sizeOfSelected(), room);
    setPanZoom(place);
}

void WallView::showOneToOne() {
    const WallLayout::Tile* tile = findTile(m_column, m_row);
    if (!tile) return;
    PanZoom place = m_panZoom;
    place.showOneToOne(sizeOfSelected(), roomOf(tile->rect));
    setPanZoom(place);
}

void WallView::placeChanged() {
    playVisible();
    repaintTiles();
    emit layoutChanged();
}

void WallView::select(int column, int row) {
    m_column = column;
    m_row = row;
    if (m_scene.tiles.empty()) return;
    if (m_zoomed) arrange();
    if (const WallLayout::Tile* tile = findTile(column, row)) {
        QScrollBar* bar = verticalScrollBar();
        const int header = m_layout.headers.front().rect.height();
        if (tile->rect.top() - header < bar->value())
            bar->setValue(tile->rect.top() - header);
        else if (tile->rect.bottom() > bar->value() + viewport()->height())
            bar->setValue(tile->rect.bottom() + space::k16 - viewport()->height());
    }
    announceSelection();
    viewport()->update();
    emit selectionChanged();
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

void WallView::selectNeighbour(int tiles) {
    const int columns = static_cast<int>(m_scene.columns.size()),
              count = static_cast<int>(m_scene.tiles.size());
    if (count == 0) return;
    const int place = (m_row * columns + m_column + tiles % count + count) % count;
    select(place % columns, place / columns);
}

// -- offsets and HUD

namespace {

auto clipOf(const WallScene::Tile& tile) {
    return std::tuple(tile.runId, tile.prompt, tile.seed);
}

}  // namespace

int WallView::offsetOf(int column, int row) const {
    const auto shifted = m_offsets.find(clipOf(m_scene.tile(column, row)));
    return shifted == m_offsets.end() ? 0 : shifted->second;
}

void WallView::shiftSelected(int frames) {
    if (m_scene.tiles.empty()) return;
    const int offset = offsetOf(m_column, m_row) + frames;
    const auto clip = clipOf(m_scene.tile(m_column, m_row));
    if (offset == 0)
        m_offsets.erase(clip);
    else
        m_offsets[clip] = offset;
    playVisible();
    viewport()->update();
    emit offsetsChanged();
}

void WallView::clearOffsets() {
    m_offsets.clear();
    playVisible();
    viewport()->update();
    emit offsetsChanged();
}

void WallView::setHud(Hud hud) {
    m_hud = hud;
    forgetOverlays();
    viewport()->update();
}

// -- layout

/// The scroll bar's is never taken: with it the wall would be laid out in another way for its coming and
/// going, which might send it away again.
QSize WallView::roomAt(QSize size) const {
    return {size.width() - verticalScrollBar()->sizeHint().width(), size.height()};
}

WallLayout WallView::layoutFor(QSize size, double tileWidth) const {
    const QSize room = roomAt(size);
    const auto arrange = [&](int headerHeight) {
        return WallLayout::arrange(room, static_cast<int>(m_scene.columns.size()),
                                   static_cast<int>(m_scene.rows.size()), m_scene.aspect,
                                   !m_scene.columns.empty() && m_scene.columns.front().pinned,
                                   static_cast<int>(std::lround(tileWidth)), headerHeight);
    };
    WallLayout layout = arrange(WallLayout::kHeaderHeight);
    if (layout.headers.empty()) return layout;
    // How high the names are depends on how wide the tiles are, and a little the other way round, too.
    const int needed = headerHeight(m_scene.columns, layout.headers.front().rect.width());
    return needed == WallLayout::kHeaderHeight ? layout : arrange(needed);
}

int WallView::tileWidth() const {
    return m_layout.tiles.empty() ? 0 : m_layout.tiles.front().rect.width();
}

int WallView::largestTileWidth() const {
    return WallLayout::largestTile(roomAt(size()), m_scene.aspect);
}

void WallView::setTileWidth(double width) {
    setTileWidth(width, findTile(m_column, m_row));
}

void WallView::restoreTileWidth(double width) {
    m_tileWidth = width;
    if (!m_zoomed) arrange();
}

void WallView::scaleTiles(double factor) {
    if (!m_zoomed) setTileWidth(tileWidth() * factor);
}

/// That tile stays where it is in the viewport, where there is one and it is in view.
void WallView::setTileWidth(double width, const WallLayout::Tile* held) {
    const double wanted =
        width == 0 ? 0 : std::clamp<double>(width, WallLayout::kSmallestTile, largestTileWidth());
    if (wanted == m_tileWidth) return;
    m_tileWidth = wanted;
    emit tileWidthChosen();
    if (m_zoomed) return;
    const bool isSeen = held && isVisibleTile(*held);
    const int column = isSeen ? held->column : 0, row = isSeen ? held->row : 0;
    const int before = isSeen ? held->rect.center().y() - verticalScrollBar()->value() : 0;
    m_lastPictures.clear();
    arrange();
    if (const WallLayout::Tile* tile = findTile(column, row); isSeen && tile)
        verticalScrollBar()->setValue(tile->rect.center().y() - before);
}

void WallView::arrange() {
    m_layout = m_zoomed && !m_scene.tiles.empty() ? WallLayout::single(viewport()->size(), m_column, m_row)
                                                  : layoutFor(size(), m_tileWidth);
    const int height = viewport()->height();
    verticalScrollBar()->setPageStep(height);
    verticalScrollBar()->setRange(0, m_layout.size.height() - height);
    m_lastPictures.resize(m_layout.tiles.size());
    forgetOverlays();
    playVisible();
    viewport()->update();
    emit layoutChanged();
}

bool WallView::isVisibleTile(const WallLayout::Tile& tile) const {
    return tile.rect.intersects(QRect(scrolled(), viewport()->size()));
}

std::vector<PlayedClip> WallView::visibleClips(const WallScene& scene) const {
    std::vector<PlayedClip> clips;
    if (scene.columns.size() != m_scene.columns.size() || scene.rows.size() != m_scene.rows.size())
        return clips;
    for (const WallLayout::Tile& tile : m_layout.tiles) {
        if (!isVisibleTile(tile)) continue;
        auto clip = playedClip(scene, tile);
        // A pinned clip stands in every band, and is played once.
        if (clip && (tile.column > 0 || std::find(clips.begin(), clips.end(), *clip) == clips.end()))
            clips.push_back(std::move(*clip));
    }
    return clips;
}

void WallView::playVisible() {
    if (!isVisible()) return;  // another view plays its clips, or nobody does
    for (std::size_t i = 0; i < m_lastPictures.size(); ++i)
        if (!isVisibleTile(m_layout.tiles[i])) {
            m_lastPictures[i] = {};
            m_overlays[i] = {};
        }
    m_player.setProxiesUsed(true);
    m_player.setClips(visibleClips(m_scene), m_zoomed);
}

std::optional<PlayedClip> WallView::playedClip(const WallScene& scene, const WallLayout::Tile& tile) const {
    const WallScene::Tile& shown = scene.tile(tile.column, tile.row);
    if (shown.file.empty()) return std::nullopt;
    const auto shifted = m_offsets.empty() ? m_offsets.end() : m_offsets.find(clipOf(shown));
    return PlayedClip{shown.file, shown.frames, boxOf(tile.rect, shown.file), shown.fps,
                      shifted == m_offsets.end() ? 0 : shifted->second};
}

QString WallView::warningFor(const PlayedClip& clip) const {
    QStringList parts;
    const auto facts = m_player.facts(clip.file);
    if (const QString absent = absenceText(m_player, clip.file); !absent.isEmpty())
        parts << absent;
    else if (m_player.isGrowing(clip.file))
        parts << tr("still being written");
    else if (facts && facts->error.isEmpty() && facts->timing.frames() < clip.frames)
        parts << tr("%1 of %2 frames").arg(facts->timing.frames()).arg(clip.frames);
    if (clip.offset != 0) parts << offsetText(clip.offset);
    return parts.join(QStringLiteral(" · "));
}

QSize WallView::boxOf(const QRect& tile, const std::string& file) const {
    const QSizeF room = roomOf(tile);
    const QSize box(static_cast<int>(room.width()), static_cast<int>(room.height()));
    const QSize own = sizeOfClip(file);
    if (m_panZoom.zoom() <= 1 || own.isEmpty()) return box;
    // Powers of two, so that turning the wheel does not decode everything anew at each notch; and never more
    // pixels than the clip has.
    const QSize enlarged = box * std::exp2(std::ceil(std::log2(m_panZoom.zoom())));
    return enlarged.width() < own.width() && enlarged.height() < own.height() ? enlarged
           : box.width() < own.width() || box.height() < own.height()         ? own
                                                                              : box;
}

QSizeF WallView::roomOf(const QRect& tile) const {
    return QSizeF(tile.size()) * viewport()->devicePixelRatioF();
}

QSize WallView::sizeOfClip(const std::string& file) const {
    const auto facts = m_player.facts(file);
    return facts ? facts->size : QSize();
}

QSize WallView::sizeOfSelected() const {
    return m_scene.tiles.empty() ? QSize() : sizeOfClip(m_scene.tile(m_column, m_row).file);
}

QPoint WallView::scrolled() const {
    return {0, verticalScrollBar()->value()};
}

QRect WallView::tileRect(int column, int row) const {
    const WallLayout::Tile* tile = findTile(column, row);
    return tile ? tile->rect.translated(-scrolled()) : QRect();
}

QRect WallView::pictureRect(int column, int row) const {
    const WallLayout::Tile* tile = findTile(column, row);
    const auto clip = tile ? playedClip(m_scene, *tile) : std::nullopt;
    const DecodedFrame* frame = clip ? m_player.current(*clip) : nullptr;
    if (!frame || frame->image.isNull()) return {};
    const double ratio = viewport()->devicePixelRatioF();
    if (!m_panZoom.isFit()) {
        const QRectF part = m_panZoom.rectOf(sizeOfClip(clip->file), roomOf(tile->rect));
        return QRectF(part.topLeft() / ratio + tile->rect.topLeft() - scrolled(), part.size() / ratio)
            .toRect();
    }
    QRect picture({}, (QSizeF(frame->image.size()) / ratio).toSize());
    picture.moveCenter(tile->rect.center() - scrolled());
    return picture;
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
    // One rectangle around them all: under a clip of many rectangles Qt cannot copy pictures, it fills them
    // span by span.
    QRect around;
    for (const WallLayout::Tile& tile : m_layout.tiles)
        if (isVisibleTile(tile)) around |= tile.rect;
    viewport()->update(around.translated(-scrolled()));
}

void WallView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const QRegion& region = event->region();
    for (const QRect& rect : region) painter.fillRect(rect, colors().window);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-scrolled());
    const auto isDirty = [&](const QRect& rect) { return region.intersects(rect.translated(-scrolled())); };
    for (const auto& header : m_layout.headers)
        if (isDirty(header.rect))
            paintHeader(painter, header.rect, m_scene.columns[static_cast<std::size_t>(header.column)],
                        m_zoomed ? m_scene.rows[static_cast<std::size_t>(m_row)].name : QString());
    for (const auto& label : m_layout.labels)
        if (isDirty(label.rect))
            paintLabel(painter, label.rect, m_scene.rows[static_cast<std::size_t>(label.row)]);
    for (const auto& tile : m_layout.tiles)
        if (isDirty(tile.rect)) paintTile(painter, tile);
}

void WallView::paintTile(QPainter& painter, const WallLayout::Tile& place) {
    const Palette& p = colors();
    const WallScene::Tile& tile = m_scene.tile(place.column, place.row);
    const auto clip = playedClip(m_scene, place);
    const DecodedFrame* frame = clip ? m_player.current(*clip) : nullptr;
    QImage& picture = m_lastPictures[static_cast<std::size_t>(&place - m_layout.tiles.data())];
    if (frame) picture = frame->image;
    if (!clip) picture = {};

    if (!picture.isNull()) {
        paintPicture(painter, place, picture, warningFor(*clip));
    } else {
        paintGround(painter, place.rect);
        if (const QString absent = clip ? absenceText(m_player, clip->file) : QString(); !absent.isEmpty())
            paintNote(painter, place.rect, QStringLiteral("cluster"),
                      QStringLiteral("Step %1\n%2").arg(tile.step).arg(absent), p.textMuted);
        else if (frame && !frame->error.isEmpty())
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

void WallView::paintPicture(QPainter& painter, const WallLayout::Tile& place, const QImage& picture,
                            const QString& warning) {
    const Palette& p = colors();
    const double ratio = viewport()->devicePixelRatioF();
    const WallScene::Tile& tile = m_scene.tile(place.column, place.row);
    if (!m_panZoom.isFit() && !sizeOfClip(tile.file).isEmpty()) {
        paintPart(painter, place.rect, picture, tile.file);
        if (m_zoomed)
            paintOverlay(painter, place.rect, tile, warning);
        else
            painter.drawImage(place.rect.topLeft(), overlayOf(place, warning));
        return;
    }
    const QSizeF shown = QSizeF(picture.size()) / ratio;
    const QPointF corner = place.rect.topLeft() + QPointF((place.rect.width() - shown.width()) / 2,
                                                          (place.rect.height() - shown.height()) / 2);
    if (shown.width() < place.rect.width() || shown.height() < place.rect.height())
        painter.fillRect(place.rect, m_zoomed ? p.window : p.surface);
    // In device pixels and on whole ones: a plain copy; anything else would resample every picture.
    const QPoint whole = (corner * ratio).toPoint();
    painter.save();
    painter.scale(1 / ratio, 1 / ratio);
    painter.drawImage(whole, picture);
    painter.restore();
    if (m_zoomed)
        paintOverlay(painter, QRectF(QPointF(whole) / ratio, shown).toAlignedRect(), tile, warning);
    else
        painter.drawImage(place.rect.topLeft(), overlayOf(place, warning));
}

void WallView::paintPart(QPainter& painter, const QRect& rect, const QImage& picture,
                         const std::string& file) {
    const double ratio = viewport()->devicePixelRatioF();
    const QSize own = sizeOfClip(file);
    const QRectF whole = m_panZoom.rectOf(own, roomOf(rect));
    painter.fillRect(rect, m_zoomed ? colors().window : colors().surface);
    painter.save();
    painter.setClipRect(rect);
    painter.translate(rect.topLeft());
    painter.scale(1 / ratio, 1 / ratio);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, whole.width() < kSquaresFrom * own.width());
    painter.drawImage(whole, picture);
    painter.restore();
}

void WallView::paintGround(QPainter& painter, const QRect& rect) {
    const double ratio = viewport()->devicePixelRatioF();
    if (m_ground.size() != rect.size() * ratio) {
        const Palette& p = colors();
        m_ground = QImage(rect.size() * ratio, QImage::Format_RGB32);
        m_ground.setDevicePixelRatio(ratio);
        m_ground.fill(p.window);
        QPainter ground(&m_ground);
        ground.setRenderHint(QPainter::Antialiasing);
        ground.setPen(p.border);
        ground.setBrush(p.surface);
        ground.drawRoundedRect(QRectF(QPointF(), rect.size()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius,
                               kRadius);
    }
    painter.drawImage(rect.topLeft(), m_ground);
}

void WallView::paintOverlay(QPainter& painter, const QRect& rect, const WallScene::Tile& tile,
                            const QString& warning) const {
    paintFrame(painter, rect);
    paintHud(painter, rect, tile, warning, m_hud);
    paintFindings(painter, tile.review.unseen ? rect.adjusted(0, 0, -kUnseenMark, 0) : rect, tile.findings);
    paintReview(painter, rect, tile.review);
}

const QImage& WallView::overlayOf(const WallLayout::Tile& place, const QString& warning) {
    Overlay& overlay = m_overlays[static_cast<std::size_t>(&place - m_layout.tiles.data())];
    if (!overlay.image.isNull() && overlay.warning == warning) return overlay.image;
    const double ratio = viewport()->devicePixelRatioF();
    overlay = {QImage(place.rect.size() * ratio, QImage::Format_ARGB32_Premultiplied), warning};
    overlay.image.setDevicePixelRatio(ratio);
    overlay.image.fill(Qt::transparent);
    QPainter painter(&overlay.image);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRect rect(QPoint(), place.rect.size());
    roundCorners(painter, rect, colors().window);
    paintOverlay(painter, rect, m_scene.tile(place.column, place.row), warning);
    return overlay.image;
}

void WallView::forgetOverlays() {
    m_overlays.assign(m_layout.tiles.size(), {});
    m_ground = {};
}

// -- events

void WallView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::StyleChange || event->type() == QEvent::PaletteChange) forgetOverlays();
}

bool WallView::event(QEvent* event) {
    // The selected tile's frame says whose the keyboard is; Qt repaints this widget then, not its viewport.
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();
    return QAbstractScrollArea::event(event);
}

void WallView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() != QContextMenuEvent::Mouse) {
        const QRect tile = tileRect(m_column, m_row) & viewport()->rect();
        if (!tile.isEmpty()) emit menuRequested(viewport()->mapToGlobal(tile.center()));
    } else if (tileAt(event->pos())) {  // the press has selected it
        emit menuRequested(event->globalPos());
    }
}

void WallView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    m_lastPictures.clear();
    arrange();
}

void WallView::showEvent(QShowEvent* event) {
    QAbstractScrollArea::showEvent(event);
    playVisible();
}

void WallView::hideEvent(QHideEvent* event) {
    QAbstractScrollArea::hideEvent(event);
    m_player.suspend();
}

void WallView::scrollContentsBy(int, int) {
    playVisible();
    viewport()->update();
    emit layoutChanged();
}

void WallView::mousePressEvent(QMouseEvent* event) {
    const WallLayout::Tile* tile = tileAt(event->position().toPoint());
    if (!tile) return;
    select(tile->column, tile->row);
    if (event->button() == Qt::LeftButton && !m_panZoom.isFit()) m_dragged = event->position();
}

void WallView::mouseMoveEvent(QMouseEvent* event) {
    const WallLayout::Tile* tile = findTile(m_column, m_row);
    if (!m_dragged || !tile) return;
    PanZoom place = m_panZoom;
    place.moveBy((event->position() - *m_dragged) * viewport()->devicePixelRatioF(), sizeOfSelected(),
                 roomOf(tile->rect));
    m_dragged = event->position();
    setPanZoom(place);
}

void WallView::mouseReleaseEvent(QMouseEvent*) {
    m_dragged.reset();
}

void WallView::wheelEvent(QWheelEvent* event) {
    const WallLayout::Tile* tile = tileAt(event->position().toPoint());
    if (!(event->modifiers() & Qt::ControlModifier) || !tile) return QAbstractScrollArea::wheelEvent(event);
    event->accept();
    // Shift makes a sideways wheel of it on some desktops.
    const QPoint turned = event->angleDelta();
    const double notches = (turned.y() != 0 ? turned.y() : turned.x()) / 120.0;
    if (!m_zoomed && !(event->modifiers() & Qt::ShiftModifier))
        return setTileWidth((m_tileWidth > 0 ? m_tileWidth : tileWidth()) * std::pow(kTileStep, notches),
                            tile);
    const QPointF point =
        (event->position() + scrolled() - tile->rect.topLeft()) * viewport()->devicePixelRatioF();
    PanZoom place = m_panZoom;
    place.zoomBy(std::pow(ClipViewport::kZoomStep, notches), point,
                 sizeOfClip(m_scene.tile(tile->column, tile->row).file), roomOf(tile->rect));
    setPanZoom(place);
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

QString WallView::tipAt(QPoint place) const {
    const QPoint point = place + scrolled();
    for (const auto& header : m_layout.headers)
        if (header.rect.contains(point))
            return m_scene.columns[static_cast<std::size_t>(header.column)].details;
    for (const auto& label : m_layout.labels)
        if (label.rect.contains(point)) return m_scene.rows[static_cast<std::size_t>(label.row)].details;
    const WallLayout::Tile* tile = tileAt(place);
    return tile ? m_scene.explain(tile->column, tile->row) : QString();
}

bool WallView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), asPlainTip(tipAt(help->pos())), this);
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace dailies::ui
