#include "ui/wall/wall_view.h"

#include "ui/widgets/widgets.h"

#include <QAccessible>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {
constexpr int kFillPaintMs = 50;
constexpr double kInputShare = 0.28;   ///< of a tile's width, that a small picture takes at most
constexpr double kInputsShare = 0.88;  ///< that all of them take
constexpr int kHudLine = 36;           ///< from a tile's lower edge to above what is said there
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

void WallView::setInputView(InputView view) {
    m_inputView = view;
    m_lastInputs.clear();
    playVisible();
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
    m_lastInputs.clear();
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
        for (ShownInput& input : shownInputs(scene, tile))
            if (std::find(clips.begin(), clips.end(), input.clip) == clips.end())
                clips.push_back(std::move(input.clip));
    }
    return clips;
}

/// One drawing lies over the clip, all of them together would hide it: poses, where there are any.
std::vector<WallView::ShownInput> WallView::shownInputs(const WallScene& scene,
                                                        const WallLayout::Tile& tile) const {
    std::vector<ShownInput> shown;
    const WallScene::Tile& made = scene.tile(tile.column, tile.row);
    if (m_inputView == InputView::Hidden || made.file.empty() || made.inputs.empty()) return shown;
    const auto clip = playedClip(scene, tile);
    const auto isPose = [](const WallScene::Input& input) {
        return input.name.contains(QStringLiteral("pose"));
    };
    const auto isDrawing = [](const WallScene::Input& input) { return input.isDrawing; };
    auto over = made.inputs.end();
    if (m_inputView == InputView::Over) {
        over = std::ranges::find_if(made.inputs, isPose);
        if (over == made.inputs.end()) over = std::ranges::find_if(made.inputs, isDrawing);
    }
    const int count = static_cast<int>(made.inputs.size());
    const double share = std::min(kInputShare, kInputsShare / count);
    const QSize size = QSizeF(tile.rect.width() * share, tile.rect.width() * share / scene.aspect).toSize();
    QPoint corner = tile.rect.bottomLeft() + QPoint(space::k8, -(size.height() + kHudLine));
    for (auto input = made.inputs.begin(); input != made.inputs.end(); ++input) {
        PlayedClip played = *clip;
        played.file = input->file;
        if (!input->isDrawing) played.frames = 1;
        if (m_inputView == InputView::Over && input->isDrawing) {
            if (input == over) shown.push_back({std::move(played), {}});
            continue;
        }
        const QRect rect(corner, size);
        played.box = (QSizeF(size) * viewport()->devicePixelRatioF()).toSize();
        shown.push_back({std::move(played), rect});
        corner.rx() += size.width() + space::k4;
    }
    return shown;
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

}  // namespace dailies::ui
