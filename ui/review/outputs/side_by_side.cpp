#include "ui/review/outputs/side_by_side.h"

#include "core/base/error.h"
#include "core/video/clip_writer.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"

#include <QFontMetrics>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace dailies::ui {

namespace {

constexpr int kVideoMargin = space::k16;
constexpr int kGap = space::k12;
constexpr int kVideoTitleHeight = 40;
constexpr int kBurnInHeight = 38;  ///< two lines below a clip
constexpr int kMinTile = 160;      ///< narrower ones would leave no room for the words
constexpr int kMaxWidth = 3840, kMaxHeight = 2160;
constexpr int kQuality = 18;

int even(int length) {
    return length / 2 * 2;
}

/// One clip of the grid on its way through time.
class Tile {
public:
    Tile(const ClipGrid::Clip& clip, QRect place) : m_clip(clip), m_place(place), m_note(clip.missing) {
        if (clip.file.empty()) return;
        try {
            m_reader.emplace(clip.file);
        } catch (const Error& error) {
            fail(error);
        }
    }

    const ClipGrid::Clip& clip() const { return m_clip; }
    const QRect& place() const { return m_place; }
    double fps() const { return m_reader && m_reader->info().fps > 0 ? m_reader->info().fps : 0; }
    double seconds() const { return fps() > 0 ? m_reader->info().frames / fps() : 0; }
    bool readable() const { return m_reader.has_value(); }
    int shownFrame() const { return m_frame; }
    int frames() const { return m_reader ? m_reader->info().frames : 0; }
    const QString& note() const { return m_note; }

    /// Brings the frame of this moment onto the canvas; whether anything changed.
    bool show(double time, QImage& canvas) {
        if (!m_reader) return std::exchange(m_frame, 0) < 0;
        // a moment lies in the middle of its frame, so that rounding cannot take the one before
        const int wanted = std::clamp(static_cast<int>(time * fps()), 0, frames() - 1);
        if (wanted == m_frame) return false;
        m_frame = wanted;
        try {
            const QSize size = displaySize({m_reader->info().width, m_reader->info().height}, m_place.size());
            const QPoint corner = m_place.topLeft() + QPoint((m_place.width() - size.width()) / 2,
                                                             (m_place.height() - size.height()) / 2);
            m_reader->drawFrame(wanted,
                                {canvas.scanLine(corner.y()) + 4 * corner.x(), size.width(), size.height(),
                                 canvas.bytesPerLine(), video::PixelBuffer::Layout::Rgb32});
        } catch (const Error& error) {
            fail(error);
        }
        return true;
    }

private:
    static QSize displaySize(QSize clip, QSize room) {
        const QSize fitting = clip.scaled(room, Qt::KeepAspectRatio);
        return {std::max(even(fitting.width()), 2), std::max(even(fitting.height()), 2)};
    }

    void fail(const Error& error) {
        m_note = withoutFolder(QString::fromUtf8(error.what()), m_clip.file);
        m_reader.reset();
    }

    const ClipGrid::Clip& m_clip;
    QRect m_place;
    QString m_note;
    std::optional<video::ClipReader> m_reader;
    int m_frame = -1;
};

class Render {
public:
    Render(const ClipGrid& grid, const OutputOptions& options)
        : m_grid(grid),
          m_options(options),
          m_titleHeight(options.labels ? kVideoTitleHeight : 0),
          m_burnInHeight(options.labels ? kBurnInHeight : 0) {
        const auto columns = static_cast<int>(grid.columns.size()), rows = static_cast<int>(grid.rows.size());
        if (columns == 0 || rows == 0 || grid.present() == 0)
            throw Error("There is no clip to render.", "Choose runs whose clips have arrived.");
        const QSize tile = tileSize(columns, rows);
        m_canvas = QImage(even(2 * kVideoMargin + columns * (tile.width() + kGap) - kGap + 1),
                          even(2 * kVideoMargin + m_titleHeight +
                               rows * (tile.height() + m_burnInHeight + kGap) - kGap + 1),
                          QImage::Format_RGB32);
        m_canvas.fill(m_colors.window);
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
                m_tiles.emplace_back(
                    grid.clip(static_cast<std::size_t>(column), static_cast<std::size_t>(row)),
                    QRect(
                        QPoint(kVideoMargin + column * (tile.width() + kGap),
                               kVideoMargin + m_titleHeight + row * (tile.height() + m_burnInHeight + kGap)),
                        tile));
        for (const auto& shown : m_tiles) {
            m_fps = std::max(m_fps, shown.fps());
            m_seconds = std::max(m_seconds, shown.seconds());
        }
        drawStill();
    }

    void write(const std::filesystem::path& file, const OutputProgress& progress,
               const std::stop_token& stop) {
        if (m_fps <= 0) throw Error("None of the clips can be read, so there is nothing to render.");
        video::ClipEncoding encoding;
        encoding.fps = m_fps;
        encoding.crf = kQuality;
        video::ClipWriter writer(file, encoding);
        const int frames = std::max(1, static_cast<int>(std::lround(m_seconds * m_fps)));
        for (int n = 0; n < frames; ++n) {
            if (stop.stop_requested()) throw Cancelled();
            drawMoment((n + 0.5) / m_fps);
            writer.add(pixels());
            if (progress) progress(n + 1, frames);
        }
        writer.finish();
    }

private:
    /// As large as is wanted, as small as the video must be.
    QSize tileSize(int columns, int rows) const {
        int width = m_options.pictureWidth > 0 ? m_options.pictureWidth : widestClip(m_grid);
        if (m_options.labels || width == 0) width = std::max(width, kMinTile);
        const int roomAcross = (kMaxWidth - 2 * kVideoMargin + kGap) / columns - kGap;
        const int roomDown =
            (kMaxHeight - 2 * kVideoMargin - m_titleHeight + kGap) / rows - kGap - m_burnInHeight;
        width = std::min({width, roomAcross, static_cast<int>(roomDown * m_grid.aspect)});
        width = std::max(even(width), 16);
        return {width, std::max(even(static_cast<int>(std::lround(width / m_grid.aspect))), 16)};
    }

    void drawStill() {
        QPainter painter(&m_canvas);
        if (m_options.labels) {
            painter.setFont(Theme::font(TextStyle::Title));
            painter.setPen(m_colors.text);
            drawElided(painter,
                       QRect(kVideoMargin, kVideoMargin - space::k4, m_canvas.width() - 2 * kVideoMargin, 28),
                       Qt::AlignLeft | Qt::AlignVCenter, m_grid.title);
        }
        for (const auto& tile : m_tiles) painter.fillRect(tile.place(), m_colors.surface);
    }

    void drawMoment(double time) {
        for (std::size_t i = 0; i < m_tiles.size(); ++i) {
            auto& tile = m_tiles[i];
            if (!tile.show(time, m_canvas)) continue;
            QPainter painter(&m_canvas);
            painter.setRenderHint(QPainter::Antialiasing);
            if (!tile.readable()) drawNote(painter, tile);
            if (m_options.labels)
                drawBurnIn(painter, tile, i % m_grid.columns.size(), i / m_grid.columns.size());
        }
    }

    void drawNote(QPainter& painter, const Tile& tile) {
        painter.fillRect(tile.place(), m_colors.surface);
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(m_colors.textMuted);
        painter.drawText(tile.place().adjusted(space::k8, space::k8, -space::k8, -space::k8),
                         Qt::AlignCenter | Qt::TextWrapAnywhere, tile.note());
    }

    void drawBurnIn(QPainter& painter, const Tile& tile, std::size_t column, std::size_t row) {
        const QRect room(tile.place().left(), tile.place().bottom() + 1, tile.place().width(), kBurnInHeight);
        painter.fillRect(room, m_colors.window);
        const auto& heading = m_grid.columns[column];
        const QRect first(room.left(), room.top() + 3, room.width(), 17), second = first.translated(0, 16);
        int indent = 0;
        if (heading.color.isValid()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(heading.color);
            painter.drawEllipse(QPointF(room.left() + 4, first.center().y() + 0.5), 4, 4);
            indent = 13;
        }
        QString name = heading.name;
        if (tile.clip().step >= 0) name += QStringLiteral(" · step %1").arg(tile.clip().step);
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(m_colors.text);
        drawElided(painter, first.adjusted(indent, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);

        painter.setPen(m_colors.textMuted);
        int frameWidth = 0;
        if (tile.readable()) {
            const QString frame = QStringLiteral("%1 / %2").arg(tile.shownFrame() + 1).arg(tile.frames());
            frameWidth = painter.fontMetrics().horizontalAdvance(frame) + space::k8;
            painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter, frame);
        }
        QString prompt = m_grid.rows[row].name;
        if (!m_grid.rows[row].note.isEmpty()) prompt += QStringLiteral(" · ") + m_grid.rows[row].note;
        drawElided(painter, second.adjusted(0, 0, -frameWidth, 0), Qt::AlignLeft | Qt::AlignVCenter, prompt);
    }

    video::Frame pixels() const {
        const QImage rgb = m_canvas.convertToFormat(QImage::Format_RGB888);
        video::Frame frame{rgb.width(), rgb.height(), {}};
        const std::size_t rowBytes = std::size_t{3} * rgb.width();
        frame.rgb.resize(rowBytes * rgb.height());
        for (int y = 0; y < rgb.height(); ++y)
            std::memcpy(&frame.rgb[rowBytes * y], rgb.constScanLine(y), rowBytes);
        return frame;
    }

    const ClipGrid& m_grid;
    const OutputOptions& m_options;
    int m_titleHeight, m_burnInHeight;
    const Palette& m_colors = palette(ThemeMode::Dark);  // clips are judged in the dark
    QImage m_canvas;
    std::vector<Tile> m_tiles;
    double m_fps = 0, m_seconds = 0;
};

}  // namespace

void writeSideBySide(const ClipGrid& grid, const std::filesystem::path& file, const OutputProgress& progress,
                     const std::stop_token& stop, const OutputOptions& options) {
    Render(grid, options).write(file, progress, stop);
}

}  // namespace dailies::ui
