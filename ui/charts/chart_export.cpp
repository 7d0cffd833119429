#include "ui/charts/chart_export.h"

#include "core/base/csv.h"
#include "core/base/error.h"
#include "ui/charts/axis_painter.h"
#include "ui/charts/curve_view.h"
#include "ui/charts/tick_text.h"
#include "ui/theme/theme.h"

#include <QBuffer>
#include <QFontMetricsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kScale = 2;
constexpr int kScreenDpi = 96;  ///< as the screen's pixels, in which the sizes of texts and lines are given
constexpr int kTitleHeight = 36;
constexpr int kLegendLine = 18;
constexpr std::size_t kLegendNames = 12;
constexpr int kLegendColumns = 2;

QString systemPath(const std::filesystem::path& file) {
    return QString::fromStdString(file.string());
}

[[noreturn]] void refuse(const std::filesystem::path& file, const QString& reason) {
    throw Error("cannot write " + file.string() + ": " + reason.toStdString(),
                "Choose a folder that can be written and has room.");
}

/// A curve as polylines through the extremes of every pixel column.
std::vector<QPolygonF> polylines(const series::Trace& trace, const series::View& view,
                                 const QPointF& origin) {
    std::vector<QPolygonF> lines(1);
    const auto add = [&](double x, double y) {
        const double top = std::clamp(view.y(y), -1e4, 1e4);
        lines.back() << origin + QPointF(std::clamp(view.x(x), -1e4, 1e4), top);
    };
    trace.visit(trace.part(view.left, view.right, view.width), [&](const series::Segment& s) {
        if (!s.drawable()) {
            if (!lines.back().isEmpty()) {
                lines.emplace_back();
            }
            return;
        }
        add(s.x0, s.first);
        if (s.low < s.high) {
            const double middle = (s.x0 + s.x1) / 2;
            add(middle, s.low);
            add(middle, s.high);
            add(s.x1, s.last);
        }
    });
    return lines;
}

void paintVectors(QPainter& painter, const ChartExportPage& page) {
    const CurvePicture& picture = page.picture;
    const series::View view{picture.x.range.minimum,
                            picture.x.range.maximum,
                            picture.y.range.minimum,
                            picture.y.range.maximum,
                            static_cast<int>(page.plot.width()),
                            static_cast<int>(page.plot.height())};
    const auto paint = [&](const series::Trace& trace, QColor color, double width, float opacity) {
        color.setAlphaF(opacity);
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        for (const auto& line : polylines(trace, view, page.plot.topLeft())) {
            line.size() == 1 ? painter.drawPoint(line.front()) : painter.drawPolyline(line);
        }
    };
    painter.save();
    painter.setClipRect(page.plot);
    for (const auto& input : page.scene.curves) {
        const auto prepared = prepareCurve(input, picture.settings);
        const bool grouped = !input.group.empty();
        if (grouped || prepared->line != prepared->raw) {
            paint(*prepared->raw, grouped ? input.groupColor : input.color, 1, 0.22f);
        }
        if (!grouped) {
            paint(*prepared->line, input.color, input.emphasized ? 2.5 : 1.5, 1);
        }
    }
    const bool log = picture.settings.logY;
    for (const auto& shown : picture.shown) {
        if (shown.prepared) {
            continue;
        }
        const auto at = [&](double x, double y) {
            const double value = !log ? y : y > 0 ? std::log10(y) : -400;
            return page.plot.topLeft() + QPointF(view.x(x), std::clamp(view.y(value), -1e4, 1e4));
        };
        QPolygonF area;
        QPolygonF mean;
        const auto& band = shown.band;
        for (std::size_t i = 0; i < band.x.size(); ++i) {
            area << at(band.x[i], band.high[i]);
            mean << at(band.x[i], band.mean[i]);
        }
        for (std::size_t i = band.x.size(); i-- > 0;) {
            area << at(band.x[i], band.low[i]);
        }
        QColor soft = shown.color;
        soft.setAlphaF(0.18f);
        painter.setPen(Qt::NoPen);
        painter.setBrush(soft);
        painter.drawPolygon(area);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(shown.color, 2.5));
        painter.drawPolyline(mean);
    }
    painter.restore();
}

QSize pageSize(const ChartExportPage& page) {
    if (!page.labels) return page.size;
    const std::size_t names = std::min(page.picture.shown.size(), kLegendNames + 1);
    const int lines = static_cast<int>((names + kLegendColumns - 1) / kLegendColumns);
    return {page.size.width(), page.size.height() + kTitleHeight + lines * kLegendLine + space::k12};
}

/// Title, axes and names; the curves are the caller's, painted in the page's own coordinates.
template <typename PaintCurves>
void paintPage(QPainter& painter, const ChartExportPage& page, PaintCurves paintCurves) {
    painter.fillRect(QRect(QPoint(0, 0), pageSize(page)), page.background);
    if (!page.labels) {
        painter.drawPicture(0, 0, page.axes);
        return paintCurves();
    }
    painter.setFont(Theme::font(TextStyle::Strong));
    painter.setPen(page.text);
    painter.drawText(QRect(space::k16, 0, page.size.width() - 2 * space::k16, kTitleHeight),
                     Qt::AlignVCenter | Qt::AlignLeft, page.title);
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(page.faint);
    painter.drawText(QRect(space::k16, 0, page.size.width() - 2 * space::k16, kTitleHeight),
                     Qt::AlignVCenter | Qt::AlignRight, page.xTitle);
    painter.save();
    painter.translate(0, kTitleHeight);
    painter.drawPicture(0, 0, page.axes);
    paintCurves();
    painter.restore();

    const QFontMetricsF metrics(Theme::font(TextStyle::Caption));
    painter.setFont(Theme::font(TextStyle::Caption));
    const auto& shown = page.picture.shown;
    const double columnWidth = (page.size.width() - 2.0 * space::k16) / kLegendColumns;
    for (std::size_t i = 0; i < std::min(shown.size(), kLegendNames + 1); ++i) {
        const QRectF line(
            space::k16 + columnWidth * static_cast<double>(i % kLegendColumns),
            kTitleHeight + page.size.height() + kLegendLine * static_cast<double>(i / kLegendColumns),
            columnWidth - space::k12, kLegendLine);
        if (i == kLegendNames) {
            painter.setPen(page.faint);
            painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                             QStringLiteral("… %1 more").arg(shown.size() - i));
            break;
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(shown[i].color);
        painter.drawEllipse(QPointF(line.left() + 4, line.center().y()), 3.5, 3.5);
        painter.setPen(page.text);
        painter.drawText(line.adjusted(14, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(shown[i].name, Qt::ElideMiddle, line.width() - 14));
    }
}

}  // namespace

ChartExportPage makeExportPage(const QString& title, const CurvePicture& picture, const QSize& size,
                               CurveScene scene) {
    ChartExportPage page{
        title,   xTitle(picture.settings.x), QPicture(),       plotAreaOf(size), size,
        picture, std::move(scene),           colors().surface, colors().text,    colors().textMuted};
    QPainter painter(&page.axes);
    drawAxes(painter, axesOf(picture, size));
    return page;
}

QImage pageImage(const ChartExportPage& page, double scale, std::stop_token stop) {
    CurveScene scene = page.scene;
    scene.scale = scale;
    scene.coarser = 1;
    const CurvePicture fine = renderCurves(scene, stop);
    QImage image(pageSize(page) * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paintPage(painter, page, [&] { painter.drawImage(page.plot, fine.image); });
    return image;
}

void writePng(const ChartExportPage& page, const std::filesystem::path& file, std::stop_token stop) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    pageImage(page, kScale, stop).save(&buffer, "PNG");
    saveBytes(file, bytes);
}

void writeSvg(const ChartExportPage& page, const std::filesystem::path& file) {
    saveBytes(file, svgOf(page.title, pageSize(page), [&](QPainter& painter) {
                  paintPage(painter, page, [&] { paintVectors(painter, page); });
              }));
}

void writePdf(const ChartExportPage& page, const std::filesystem::path& file) {
    saveBytes(file, pdfOf(page.title, pageSize(page), [&](QPainter& painter) {
                  paintPage(painter, page, [&] { paintVectors(painter, page); });
              }));
}

QByteArray svgOf(const QString& title, const QSize& size, const std::function<void(QPainter&)>& paint) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setTitle(title);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setResolution(kScreenDpi);
    QPainter painter(&generator);
    paint(painter);
    painter.end();
    return bytes;
}

QByteArray pdfOf(const QString& title, const QSize& size, const std::function<void(QPainter&)>& paint) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setResolution(kScreenDpi);
    writer.setPageMargins({});
    writer.setPageSize(QPageSize(QSizeF(size) / kScreenDpi, QPageSize::Inch));
    QPainter painter(&writer);
    paint(painter);
    painter.end();
    return bytes;
}

void writeCurvesCsv(const std::filesystem::path& storeFile, const std::vector<RunPtr>& runs,
                    const std::string& metric, const std::filesystem::path& file, std::stop_token stop) {
    const tracking::Store store(storeFile, tracking::Store::Mode::ReadOnly);
    QSaveFile out(systemPath(file));
    if (!out.open(QIODevice::WriteOnly)) {
        refuse(file, out.errorString());
    }
    std::string text = "run_id,run,step,timestamp_ms,value\r\n";
    for (const auto& run : runs) {
        if (stop.stop_requested()) {
            throw Cancelled();
        }
        const std::string begin = run->id + ',' + csvField(run->name) + ',';
        for (const auto& point : store.history(run->id, metric)) {
            text += begin + std::to_string(point.step) + ',' + std::to_string(point.timestampMs) + ',';
            text += csvNumber(point.value);
            text += "\r\n";
        }
        if (out.write(text.data(), static_cast<qint64>(text.size())) != static_cast<qint64>(text.size())) {
            refuse(file, out.errorString());
        }
        text.clear();
    }
    if (runs.empty()) {
        out.write(text.data(), static_cast<qint64>(text.size()));
    }
    if (!out.commit()) {
        refuse(file, out.errorString());
    }
}

std::string shownCsv(const CurvePicture& picture) {
    std::string text = "run_id,run,step,value\r\n";
    for (const auto& curve : picture.shown) {
        if (!curve.prepared) {
            continue;
        }
        const auto& line = *curve.prepared->line;
        for (std::size_t i = 0; i < line.size(); ++i) {
            text += curve.runId + ',' + csvField(curve.name.toStdString()) + ',';
            text += csvNumber(curve.prepared->stepOf(i));
            text += ',';
            text += csvNumber(picture.settings.logY ? std::pow(10, line[i].mean) : line[i].mean);
            text += "\r\n";
        }
    }
    return text;
}

void saveBytes(const std::filesystem::path& file, const QByteArray& bytes) {
    QSaveFile out(systemPath(file));
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit()) {
        refuse(file, out.errorString());
    }
}

}  // namespace dailies::ui
