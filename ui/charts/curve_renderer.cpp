#include "ui/charts/curve_renderer.h"

#include "core/base/error.h"

#include <QPainter>
#include <QPen>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace dailies::ui {

namespace {

constexpr double kLineWidth = 1.5;
constexpr double kEmphasisedWidth = 2.5;
constexpr float kRawOpacity = 0.22f;
constexpr double kPixelsPerStepTick = 64;
constexpr double kPixelsPerValueTick = 40;

bool drawable(double value, bool logarithmic) {
    return std::isfinite(value) && (!logarithmic || value > 0);
}

Range grow(Range range, double value) {
    return {std::min(range.minimum, value), std::max(range.maximum, value)};
}

constexpr Range kNothing{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

/// From data to pixels of the plot area, y downwards.
class Mapping {
public:
    Mapping(const CurveScene& scene, Range steps, Range values)
        : m_steps(steps),
          m_values(values),
          m_width(scene.size.width()),
          m_height(scene.size.height()),
          m_logarithmic(scene.logarithmic) {
        if (m_logarithmic) {
            m_values = {std::log10(values.minimum), std::log10(values.maximum)};
        }
    }

    double x(double step) const {
        return (step - m_steps.minimum) / (m_steps.maximum - m_steps.minimum) * m_width;
    }
    double y(double value) const {
        const double v = m_logarithmic ? std::log10(value) : value;
        return m_height - (v - m_values.minimum) / (m_values.maximum - m_values.minimum) * m_height;
    }

private:
    Range m_steps, m_values;
    double m_width, m_height;
    bool m_logarithmic;
};

/// The curve as lines over the plot area: every pixel column's extremes, broken where a value cannot be
/// drawn.
std::vector<QPolygonF> polylines(const Series& points, const Mapping& map, Range steps, int columns,
                                 bool log) {
    std::vector<QPolygonF> lines(1);
    std::size_t nextMark = 0;
    const auto thin = series::decimated(points, steps.minimum, steps.maximum, columns);
    for (const auto& point : thin.line) {
        bool broken = !drawable(point.y, log);
        while (nextMark < thin.marks.size() && thin.marks[nextMark].x < point.x) {
            broken = true;
            ++nextMark;
        }
        if (broken && !lines.back().isEmpty()) {
            lines.emplace_back();
        }
        if (drawable(point.y, log)) {
            lines.back() << QPointF(map.x(point.x), map.y(point.y));
        }
    }
    return lines;
}

void drawLines(QPainter& painter, const std::vector<QPolygonF>& lines, const QColor& color, double width) {
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    for (const auto& line : lines) {
        if (line.size() == 1) {
            painter.drawPoint(line.front());  // a single sample must be seen, too
            painter.drawEllipse(line.front(), 2, 2);
        } else if (line.size() > 1) {
            painter.drawPolyline(line);
        }
    }
}

/// A short tick at the upper edge for each value that has no place on the axis.
void drawMarks(QPainter& painter, const std::vector<series::Mark>& marks, const Mapping& map,
               const QColor& color) {
    painter.setPen(QPen(color, 2));
    for (const auto& mark : marks) {
        painter.drawLine(QPointF(map.x(mark.x), 0), QPointF(map.x(mark.x), 6));
    }
}

Range stepsOf(const CurveScene& scene) {
    Range range = kNothing;
    for (const auto& curve : scene.curves) {
        if (!curve.series->empty()) {
            range = grow(grow(range, curve.series->front().x), curve.series->back().x);
        }
    }
    if (range.minimum > range.maximum) {
        return {0, 1};
    }
    return range.minimum == range.maximum ? Range{range.minimum - 1, range.maximum + 1} : range;
}

Range valuesOf(const CurveScene& scene, Range steps) {
    Range range = kNothing;
    for (const auto& curve : scene.curves) {
        for (const auto& point : *curve.series) {
            if (drawable(point.y, scene.logarithmic) && point.x >= steps.minimum &&
                point.x <= steps.maximum) {
                range = grow(range, point.y);
            }
        }
    }
    if (range.minimum > range.maximum) {
        return scene.logarithmic ? Range{0.1, 1} : Range{0, 1};
    }
    if (range.minimum == range.maximum) {
        const double pad = range.minimum == 0 ? 1 : std::abs(range.minimum) * 0.1;
        return {range.minimum - pad, range.maximum + pad};
    }
    return range;
}

}  // namespace

std::pair<Range, double> roundAxis(Range range, int count) {
    const double rough = (range.maximum - range.minimum) / std::max(count, 1);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double tick = 10 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) {
            tick = factor * power;
            break;
        }
    }
    return {{std::floor(range.minimum / tick) * tick, std::ceil(range.maximum / tick) * tick}, tick};
}

CurvePicture renderCurves(const CurveScene& scene, std::stop_token stop) {
    CurvePicture picture;
    picture.steps = scene.steps ? *scene.steps : stepsOf(scene);
    const int stepTicks = std::max(2, static_cast<int>(scene.size.width() / kPixelsPerStepTick));
    picture.stepTick = std::max(1.0, roundAxis(picture.steps, stepTicks).second);

    const Range values = valuesOf(scene, picture.steps);
    const int valueTicks = std::max(2, static_cast<int>(scene.size.height() / kPixelsPerValueTick));
    if (scene.logarithmic) {
        // Whole decades, so that the grid falls on powers of ten.
        picture.values = {std::pow(10.0, std::floor(std::log10(values.minimum))),
                          std::pow(10.0, std::ceil(std::log10(values.maximum)))};
        if (picture.values.minimum == picture.values.maximum) {
            picture.values.maximum *= 10;
        }
    } else {
        std::tie(picture.values, picture.valueTick) = roundAxis(values, valueTicks);
    }

    picture.image = QImage(scene.size * scene.scale, QImage::Format_ARGB32_Premultiplied);
    picture.image.setDevicePixelRatio(scene.scale);
    picture.image.fill(Qt::transparent);
    if (picture.image.isNull()) {
        return picture;
    }
    QPainter painter(&picture.image);
    painter.setRenderHint(QPainter::Antialiasing);
    const Mapping map(scene, picture.steps, picture.values);
    picture.shown.resize(scene.curves.size());

    for (const bool emphasised : {false, true}) {
        for (std::size_t i = 0; i < scene.curves.size(); ++i) {
            const Curve& curve = scene.curves[i];
            if (curve.emphasised != emphasised) {
                continue;
            }
            if (stop.stop_requested()) {
                throw Cancelled();
            }
            picture.shown[i] = smoothedSeries(*curve.series, scene.smoothing);
            const auto lines = [&](const Series& points) {
                return polylines(points, map, picture.steps, scene.size.width(), scene.logarithmic);
            };
            if (scene.smoothing > 0) {
                QColor faint = curve.color;
                faint.setAlphaF(kRawOpacity);
                drawLines(painter, lines(*curve.series), faint, 1);
            }
            drawLines(painter, lines(picture.shown[i]), curve.color,
                      emphasised ? kEmphasisedWidth : kLineWidth);
            drawMarks(painter,
                      series::decimated(*curve.series, picture.steps.minimum, picture.steps.maximum,
                                        scene.size.width())
                          .marks,
                      map, curve.color);
        }
    }
    return picture;
}

}  // namespace dailies::ui
