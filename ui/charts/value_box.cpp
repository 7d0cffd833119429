#include "ui/charts/value_box.h"

#include "ui/theme/theme.h"
#include "ui/widgets/run_text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr std::size_t kLines = 8;
constexpr double kLineHeight = 18;
constexpr double kMaxNameWidth = 200;

Reading groupReading(const ShownCurve& curve, double x, bool log) {
    const auto& band = curve.band;
    const auto after = std::lower_bound(band.x.begin(), band.x.end(), x);
    auto index = static_cast<std::size_t>(after - band.x.begin());
    if (index == band.x.size() || (index > 0 && x - band.x[index - 1] < band.x[index] - x)) {
        --index;
    }
    Reading reading{.curve = &curve, .x = band.x[index], .value = band.mean[index]};
    reading.y = log ? std::log10(reading.value) : reading.value;
    reading.around = (band.high[index] - band.low[index]) / 2;
    reading.runs = band.runs[index];
    return reading;
}

QString valueText(const Reading& reading) {
    QString text = metricText(reading.value);
    if (reading.curve->runId.empty()) {
        text += reading.runs > 1 ? QStringLiteral(" ± ") + metricText(*reading.around) : QString();
    }
    return text;
}

QString asideText(const Reading& reading) {
    if (reading.curve->runId.empty()) {
        return QString::number(reading.runs);
    }
    return reading.raw ? metricText(*reading.raw) : QString();
}

}  // namespace

std::vector<Reading> readingsAt(const CurvePicture& picture, double x) {
    std::vector<Reading> readings;
    const bool log = picture.settings.logY;
    const double near = picture.x.range.length() / 50;
    for (const auto& curve : picture.shown) {
        if (!curve.prepared) {
            if (!curve.band.x.empty() && x >= curve.band.x.front() - near &&
                x <= curve.band.x.back() + near) {
                readings.push_back(groupReading(curve, x, log));
            }
            continue;
        }
        const auto& raw = *curve.prepared->raw;
        if (raw.empty() || x < raw[0].x0 - near || x > raw[raw.size() - 1].x1 + near) {
            continue;
        }
        const std::size_t index = raw.nearest(x);
        const auto plain = [&](double y) { return log ? std::pow(10, y) : y; };
        const series::Segment logged = raw[index];
        const double shown = (*curve.prepared->line)[index].mean;
        Reading reading{.curve = &curve, .x = logged.x1, .y = shown, .value = plain(shown)};
        if (curve.prepared->line != curve.prepared->raw) {
            reading.raw = plain(logged.mean);
        }
        reading.step = curve.prepared->stepOf(index);
        readings.push_back(reading);
    }
    // What is no number stands last.
    std::stable_sort(readings.begin(), readings.end(), [](const Reading& a, const Reading& b) {
        return std::isnan(a.y) != std::isnan(b.y) ? std::isnan(b.y) : a.y > b.y;
    });
    return readings;
}

const Reading* nearestReading(const std::vector<Reading>& readings, double y) {
    const Reading* nearest = nullptr;
    for (const auto& reading : readings) {
        if (!std::isnan(reading.y) && (!nearest || std::abs(reading.y - y) < std::abs(nearest->y - y))) {
            nearest = &reading;
        }
    }
    return nearest;
}

BoxLines boxLines(const std::vector<Reading>& readings, const Reading* nearest) {
    BoxLines box;
    for (const auto& reading : readings) {
        if (box.lines.size() < kLines) {
            box.lines.push_back(&reading);
        }
    }
    if (nearest && std::find(box.lines.begin(), box.lines.end(), nearest) == box.lines.end()) {
        box.lines.back() = nearest;
    }
    box.more = readings.size() - box.lines.size();
    return box;
}

BoxHeads boxHeads(const BoxLines& box) {
    const auto any = [&](auto what) {
        return std::any_of(box.lines.begin(), box.lines.end(),
                           [&](const Reading* line) { return what(*line); });
    };
    if (any([](const Reading& reading) { return reading.curve->runId.empty(); })) {
        return {QStringLiteral("Mean"), QStringLiteral("Runs")};
    }
    if (any([](const Reading& reading) { return reading.raw.has_value(); })) {
        return {QStringLiteral("Smoothed"), QStringLiteral("Logged")};
    }
    return {QStringLiteral("Value"), {}};
}

void paintValueBox(QPainter& painter, const QRectF& bounds, const QPointF& pointer, const QString& title,
                   const BoxLines& box, const Reading* nearest) {
    const QFont captions = Theme::font(TextStyle::Caption);
    QFont strong = captions;
    strong.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(strong);
    const BoxHeads heads = boxHeads(box);
    double nameWidth = metrics.horizontalAdvance(title) - 12;
    double valueWidth = metrics.horizontalAdvance(heads.value);
    double asideWidth = metrics.horizontalAdvance(heads.aside);
    for (const Reading* reading : box.lines) {
        nameWidth = std::max(nameWidth, metrics.horizontalAdvance(reading->curve->name));
        valueWidth = std::max(valueWidth, metrics.horizontalAdvance(valueText(*reading)));
        asideWidth = std::max(asideWidth, metrics.horizontalAdvance(asideText(*reading)));
    }
    nameWidth = std::clamp(nameWidth, 0.0, kMaxNameWidth);
    const double asideGap = asideWidth > 0 ? space::k12 : 0;
    const double width =
        std::max(2 * space::k12 + 12 + nameWidth + space::k16 + valueWidth + asideGap + asideWidth,
                 2 * space::k12 + metrics.horizontalAdvance(title));
    const double height = space::k8 +
                          kLineHeight * (static_cast<double>(box.lines.size()) + 1 + (box.more > 0 ? 1 : 0)) +
                          space::k4;
    double left = pointer.x() + space::k16;
    if (left + width > bounds.right()) {
        left = std::max(bounds.left(), pointer.x() - space::k16 - width);
    }
    const double top =
        std::clamp(pointer.y() - height / 2, bounds.top(), std::max(bounds.top(), bounds.bottom() - height));

    QColor background = colors().raised;
    background.setAlphaF(0.97f);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colors().borderStrong, 1));
    painter.setBrush(background);
    painter.drawRoundedRect(QRectF(left, top, width, height).adjusted(0.5, 0.5, -0.5, -0.5), kRadius,
                            kRadius);

    QRectF line(left + space::k12, top + space::k4, width - 2 * space::k12, kLineHeight);
    painter.setFont(captions);
    painter.setPen(colors().textFaint);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, title);
    painter.drawText(line.adjusted(0, 0, -asideWidth - asideGap, 0), Qt::AlignVCenter | Qt::AlignRight,
                     heads.value);
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, heads.aside);
    for (const Reading* reading : box.lines) {
        line.translate(0, kLineHeight);
        painter.setPen(Qt::NoPen);
        painter.setBrush(reading->curve->color);
        painter.drawEllipse(QPointF(line.left() + 3.5, line.center().y()), 3.5, 3.5);
        const bool emphasized = reading == nearest;
        painter.setFont(emphasized ? strong : captions);
        painter.setPen(emphasized ? colors().text : colors().textMuted);
        painter.drawText(line.adjusted(12, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(reading->curve->name, Qt::ElideMiddle, nameWidth));
        painter.drawText(line.adjusted(0, 0, -asideWidth - asideGap, 0), Qt::AlignVCenter | Qt::AlignRight,
                         valueText(*reading));
        painter.setPen(colors().textFaint);
        painter.setFont(captions);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, asideText(*reading));
    }
    if (box.more > 0) {
        line.translate(0, kLineHeight);
        painter.setPen(colors().textFaint);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("… %1 more").arg(box.more));
    }
}

}  // namespace dailies::ui
