#pragma once

#include "ui/charts/charted_run.h"
#include "ui/charts/curve_renderer.h"

#include <QColor>
#include <QImage>
#include <QPicture>
#include <QRectF>
#include <QSize>
#include <QString>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

/// A metric's chart as a page of its own: title, plot, names. Made on the GUI thread (Qt Charts draws the
/// axes), written on a worker.
struct ChartExportPage {
    QString title, xTitle;
    QPicture axes;
    QRectF plot;
    QSize size;
    CurvePicture picture;  ///< whose curves are drawn
    CurveScene scene;      ///< the same to be drawn more finely
    QColor background, text, faint;
    bool labels = true;  ///< the title, and whose curve is which
};
ChartExportPage makeExportPage(const QString& title, const CurvePicture& picture, const QSize& size,
                               CurveScene scene);

/// Twice as fine as the screen. These throw `Error` naming the file when it cannot be written; a file that
/// was there stays then.
void writePng(const ChartExportPage& page, const std::filesystem::path& file, std::stop_token stop);
/// Curves as polylines through the extremes of every pixel column, text as text.
void writeSvg(const ChartExportPage& page, const std::filesystem::path& file);
/// Likewise, on a page that is as large as the chart.
void writePdf(const ChartExportPage& page, const std::filesystem::path& file);
QImage pageImage(const ChartExportPage& page, double scale, std::stop_token stop);

/// Every point of the metric as the store has it: run_id, run, step, timestamp_ms, value. Never more than one
/// run in memory.
void writeCurvesCsv(const std::filesystem::path& storeFile, const std::vector<RunPtr>& runs,
                    const std::string& metric, const std::filesystem::path& file, std::stop_token stop);
/// What the picture was drawn from, in the same columns less the time.
std::string shownCsv(const CurvePicture& picture);

/// What is painted on a page of this size in the screen's pixels, as a file's bytes.
QByteArray svgOf(const QString& title, const QSize& size, const std::function<void(QPainter&)>& paint);
QByteArray pdfOf(const QString& title, const QSize& size, const std::function<void(QPainter&)>& paint);

/// Writes bytes, a whole file or none, with a message that names it.
void saveBytes(const std::filesystem::path& file, const QByteArray& bytes);

}  // namespace dailies::ui
