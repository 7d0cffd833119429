#include "ui/review/contact_sheet.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/video/clip_file.h"
#include "ui/playback/clip_source.h"
#include "ui/review/outputs/clip_grid.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"
#include "ui/widgets/widgets.h"

#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace dailies::ui {

namespace {

constexpr int kMargin = space::k32;
constexpr int kTitleHeight = 48;
constexpr int kHeaderHeight = 48;
constexpr int kLabelWidth = 136;
constexpr int kFrameGap = 2;
constexpr int kCellGap = space::k16;
constexpr int kCaptionHeight = 22;
constexpr int kSmallestFrame = 16;
constexpr int kLongestSide = 32'767;  ///< that Qt paints on

/// Evenly spread, first and last included.
std::vector<int> spreadFrames(int frames, int wanted) {
    std::vector<int> chosen;
    const int count = std::clamp(wanted, 1, std::max(frames, 1));
    for (int i = 0; i < count; ++i) chosen.push_back(count == 1 ? 0 : i * (frames - 1) / (count - 1));
    return chosen;
}

class Sheet {
public:
    Sheet(const WallScene& scene, const QString& title, const ContactSheetOptions& options)
        : m_scene(scene), m_title(title), m_options(options) {
        const int wanted = options.frameWidth > 0 ? options.frameWidth : widestClip(clipGrid(scene, title));
        const int width = std::max(wanted, kSmallestFrame);
        m_frame = {width, std::max(static_cast<int>(width / m_scene.aspect), 1)};
        m_cell = {m_options.framesPerClip * (m_frame.width() + kFrameGap) - kFrameGap,
                  m_frame.height() + (options.labels ? kCaptionHeight : 0)};
        m_left = kMargin + (options.labels ? kLabelWidth : 0);
        m_top = kMargin + (options.labels ? kTitleHeight + kHeaderHeight : 0);
    }

    QSize size() const {
        const int columns = static_cast<int>(m_scene.columns.size()),
                  rows = static_cast<int>(m_scene.rows.size());
        return {kMargin + m_left + columns * (m_cell.width() + kCellGap) - kCellGap,
                kMargin + m_top + rows * (m_cell.height() + kCellGap) - kCellGap};
    }

    /// Onto anything of that size.
    void paint(QPainter& painter, const std::stop_token& stop) {
        const int columns = static_cast<int>(m_scene.columns.size()),
                  rows = static_cast<int>(m_scene.rows.size());
        painter.fillRect(QRect(QPoint(0, 0), size()), m_colors.window);
        painter.setRenderHint(QPainter::Antialiasing);
        if (m_options.labels) drawTitle(painter);
        for (int column = 0; column < columns; ++column) {
            const int x = m_left + column * (m_cell.width() + kCellGap);
            if (m_options.labels) drawHeader(painter, m_scene.columns[static_cast<std::size_t>(column)], x);
            for (int row = 0; row < rows; ++row) {
                if (stop.stop_requested()) throw Cancelled();
                drawCell(painter, m_scene.tile(column, row), {x, rowTop(row)});
            }
        }
        for (int row = 0; m_options.labels && row < rows; ++row)
            drawLabel(painter, m_scene.rows[static_cast<std::size_t>(row)], rowTop(row));
    }

private:
    int rowTop(int row) const { return m_top + row * (m_cell.height() + kCellGap); }

    void drawTitle(QPainter& painter) {
        painter.setFont(Theme::font(TextStyle::Display));
        painter.setPen(m_colors.text);
        painter.drawText(QRect(kMargin, kMargin, size().width() - 2 * kMargin, 30),
                         Qt::AlignLeft | Qt::AlignVCenter, m_title);
    }

    void drawHeader(QPainter& painter, const WallScene::Column& column, int x) {
        const int top = kMargin + kTitleHeight;
        painter.setPen(Qt::NoPen);
        painter.setBrush(column.color);
        painter.drawEllipse(QPointF(x + 5, top + 11), 5, 5);
        const QRect text(x + space::k16, top, m_cell.width() - space::k16, 20);
        painter.setFont(Theme::font(TextStyle::Strong));
        painter.setPen(m_colors.text);
        drawElided(painter, text, Qt::AlignLeft, column.name);
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(column.best ? m_colors.warning : m_colors.textMuted);
        const QString metric = column.metric.isEmpty() ? column.status : column.metric;
        drawElided(painter, text.translated(0, 20), Qt::AlignLeft,
                   column.best ? QStringLiteral("★ ") + metric : metric);
    }

    void drawLabel(QPainter& painter, const WallScene::Heading& row, int top) {
        const QRect place(kMargin, top, kLabelWidth - space::k16, m_cell.height());
        painter.setFont(Theme::font(TextStyle::Body));
        painter.setPen(m_colors.text);
        QRect used;
        painter.drawText(place, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, row.name, &used);
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(m_colors.textMuted);
        painter.drawText(place.adjusted(0, used.height() + space::k4, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                         row.note);
    }

    void drawCell(QPainter& painter, const WallScene::Tile& tile, QPoint corner) {
        QString caption;
        if (tile.step >= 0) caption = QStringLiteral("step %1").arg(tile.step);
        if (tile.adherence)
            caption += QStringLiteral("  ·  %1 %").arg(static_cast<int>(std::lround(100 * *tile.adherence)));
        painter.fillRect(QRect(corner, QSize(m_cell.width(), m_frame.height())), m_colors.surface);
        if (tile.file.empty())
            drawNote(painter, corner, tile.note);
        else
            drawFrames(painter, tile, corner);
        if (!m_options.labels) return;
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(m_colors.textMuted);
        painter.drawText(QRect(corner.x(), corner.y() + m_frame.height(), m_cell.width(), kCaptionHeight),
                         Qt::AlignLeft | Qt::AlignVCenter, caption);
    }

    void drawFrames(QPainter& painter, const WallScene::Tile& tile, QPoint corner) {
        try {
            video::ClipReader reader(tile.file);
            const video::ClipInfo& info = reader.info();
            const QSize size = displaySize({info.width, info.height}, m_frame);
            int x = corner.x();
            for (const int number : spreadFrames(info.frames, m_options.framesPerClip)) {
                QImage picture(size, QImage::Format_RGB32);
                reader.drawFrame(number, {picture.bits(), picture.width(), picture.height(),
                                          picture.bytesPerLine(), video::PixelBuffer::Layout::Rgb32});
                painter.drawImage(x + (m_frame.width() - size.width()) / 2,
                                  corner.y() + (m_frame.height() - size.height()) / 2, picture);
                x += m_frame.width() + kFrameGap;
            }
        } catch (const Error& error) {
            drawNote(painter, corner, withoutFolder(QString::fromUtf8(error.what()), tile.file));
        }
    }

    void drawNote(QPainter& painter, QPoint corner, const QString& text) {
        const QRect place(corner, QSize(m_cell.width(), m_frame.height()));
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(m_colors.textMuted);
        painter.drawText(place.adjusted(space::k8, space::k8, -space::k8, -space::k8),
                         Qt::AlignCenter | Qt::TextWrapAnywhere, text);
    }

    const WallScene& m_scene;
    const QString& m_title;
    const ContactSheetOptions& m_options;
    const Palette& m_colors = palette(ThemeMode::Light);  // a sheet is printed and pasted into notes
    QSize m_frame, m_cell;
    int m_left = 0, m_top = 0;  ///< of the first cell
};

}  // namespace

QImage contactSheet(const WallScene& scene, const QString& title, const ContactSheetOptions& options,
                    const std::stop_token& stop) {
    Sheet sheet(scene, title, options);
    const QSize size = sheet.size();
    QImage image;
    if (std::max(size.width(), size.height()) <= kLongestSide) image = QImage(size, QImage::Format_RGB32);
    if (image.isNull())
        throw Error("A contact sheet of " + std::to_string(size.width()) + " × " +
                        std::to_string(size.height()) + " pixels is too large to be a picture.",
                    "Choose smaller pictures or fewer clips, or a PDF.");
    QPainter painter(&image);
    sheet.paint(painter, stop);
    return image;
}

void writeContactSheetPdf(const WallScene& scene, const QString& title, const std::filesystem::path& file,
                          const ContactSheetOptions& options, const std::stop_token& stop) {
    Sheet sheet(scene, title, options);
    QSaveFile out(QString::fromStdString(file.string()));
    const auto fail = [&] {
        throw Error(
            "Cannot write the contact sheet " + file.string() + ": " + out.errorString().toStdString() + ".",
            "Choose a folder that you may write to.");
    };
    if (!out.open(QIODevice::WriteOnly)) fail();
    {
        constexpr int kPixelsPerInch = 96;
        QPdfWriter pdf(&out);
        pdf.setTitle(title);
        pdf.setCreator(QStringLiteral("Dailies"));
        pdf.setResolution(kPixelsPerInch);
        // one page of the sheet's own size: nothing is cut apart, and a printer fits it to its paper
        const QSizeF inches = QSizeF(sheet.size()) / kPixelsPerInch;
        pdf.setPageSize(QPageSize(inches, QPageSize::Inch, {}, QPageSize::ExactMatch));
        pdf.setPageMargins({});
        QPainter painter(&pdf);
        sheet.paint(painter, stop);
    }
    if (!out.commit()) fail();
}

SheetContent sheetContent(const tracking::Store& store, const std::vector<std::string>& runIds,
                          std::optional<std::int64_t> step) {
    ReviewRequest request;
    request.storeFile = store.file();
    request.runIds = runIds;
    const ReviewData data = loadReview(request, {});
    if (data.rows.empty())
        throw Error("These runs have no clips to make a contact sheet of.",
                    "Wait until a run has sampled some (sampling.every), or choose other runs.");
    if (step && std::ranges::find(data.steps, *step) == data.steps.end()) {
        std::vector<std::string> steps;
        for (const auto known : data.steps) steps.push_back(std::to_string(known));
        throw InputError("These runs have no clips of step " + std::to_string(*step) + ".",
                         "They have clips of step " + join(steps, ", ") + ".");
    }
    RunColors::instance().assign(data.colors);
    return {makeScene(data, step.value_or(data.steps.back()), {}), sanitized(data.title()), data.reviews};
}

QImage contactSheet(const tracking::Store& store, const std::vector<std::string>& runIds,
                    const ContactSheetOptions& options) {
    const auto content = sheetContent(store, runIds);
    return contactSheet(content.scene, content.title, options);
}

}  // namespace dailies::ui
