#include "ui/charts/curve_renderer.h"

#include "core/base/error.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <thread>

namespace dailies::ui {

namespace {

constexpr float kLineWidth = 1.5f;  ///< device-independent pixels
constexpr float kEmphasisedWidth = 2.5f;
constexpr float kRawOpacity = 0.22f;
constexpr float kFadedOpacity = 0.16f;
constexpr float kBandOpacity = 0.18f;
constexpr float kFewCurves = 16;  ///< that can be told apart when drawn solidly
constexpr float kMinOpacity = 0.4f;
constexpr float kManyWidth = 1.1f;
constexpr float kOutlierOpacity =
    0.35f;  ///< of spikes that leave the axis, so that they do not bury the curves
constexpr float kMinOutlierOpacity = 0.2f;
constexpr double kPixelsPerXTick = 56;  ///< at least: "12.5k" and a gap
constexpr double kPixelsPerTime = 84;
constexpr double kPixelsPerYTick = 40;
constexpr double kMuchWork = 30'000;  ///< curves × columns from which a second thread is worth its start
constexpr double kMarkHeight = 6;

series::Color colorOf(const QColor& color, float opacity = 1) {
    return {static_cast<std::uint8_t>(color.red()), static_cast<std::uint8_t>(color.green()),
            static_cast<std::uint8_t>(color.blue()), opacity};
}

/// What is drawn of one run, beside what is shown of it in the end.
struct Drawn {
    const CurveInput* input;
    PreparedPtr prepared;
};

Range everythingOf(const std::vector<Drawn>& curves) {
    Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const auto& [input, prepared] : curves) {
        if (const auto& raw = *prepared->raw; !raw.empty()) {
            range.minimum = std::min(range.minimum, raw[0].x0);
            range.maximum = std::max(range.maximum, raw[raw.size() - 1].x1);
        }
    }
    if (range.minimum > range.maximum) {
        return {0, 1};
    }
    return range.minimum == range.maximum ? Range{range.minimum - 1, range.maximum + 1} : range;
}

series::Axis xAxisOf(const CurveScene& scene, Range everything) {
    const XAxis::Kind kind = scene.settings.x.kind;
    const bool isTime = kind == XAxis::Kind::WallTime || kind == XAxis::Kind::Relative;
    const int ticks =
        std::max(2, static_cast<int>(scene.size.width() / (isTime ? kPixelsPerTime : kPixelsPerXTick)));
    Range range = scene.x.value_or(everything);
    if (scene.settings.logX) {
        return series::logarithmicAxis(range, ticks);
    }
    if (isTime) {
        const double offset =
            kind == XAxis::Kind::WallTime
                ? QDateTime::fromSecsSinceEpoch(static_cast<qint64>(range.minimum)).offsetFromUtc()
                : 0;
        return series::timeAxis(range, ticks, offset);
    }
    series::Axis axis = series::linearAxis(range, ticks);
    if (!scene.x) {
        // The end of a growing curve moves in twentieths of a tick, so that not every point moves everything.
        const double grain = axis.step / 20;
        range.maximum = std::ceil(range.maximum / grain - 1e-9) * grain;
        axis = series::linearAxis(range, ticks);
    }
    return axis;
}

series::Axis yAxisOf(const CurveScene& scene, const series::ValueRange& values) {
    const int ticks = std::max(2, static_cast<int>(scene.size.height() / kPixelsPerYTick));
    const bool log = scene.settings.logY;
    if (values.empty) {
        return log ? series::logarithmicAxis({-1, 0}, ticks) : series::linearAxis({0, 1}, ticks);
    }
    if (!log) {
        return series::niceAxis(values.range, ticks);
    }
    const double pad = std::max(0.02, values.range.length() * 0.04);
    return series::logarithmicAxis({values.range.minimum - pad, values.range.maximum + pad}, ticks);
}

/// The groups in the order of their first run, each with its curves.
std::vector<std::pair<const CurveInput*, std::vector<series::TracePtr>>> groupsOf(
    const std::vector<Drawn>& curves) {
    std::vector<std::pair<const CurveInput*, std::vector<series::TracePtr>>> groups;
    std::map<std::string, std::size_t> indexes;
    for (const auto& [input, prepared] : curves) {
        if (input->group.empty()) {
            continue;
        }
        const auto [at, isNew] = indexes.emplace(input->group, groups.size());
        if (isNew) {
            groups.emplace_back(input, std::vector<series::TracePtr>());
        }
        groups[at->second].second.push_back(prepared->plain);
    }
    return groups;
}

double logarithm(double value) {
    // A band may reach below zero, where a logarithmic axis has no place: down to the edge.
    return value > 0 ? std::log10(value) : std::isnan(value) ? value : -400;
}

/// The mean as a line and its band, on the axis.
struct GroupLines {
    series::TracePtr mean;
    std::vector<double> low, high;
};

GroupLines linesOf(const series::Band& band, bool log) {
    std::vector<series::Point> points;
    GroupLines lines;
    for (std::size_t i = 0; i < band.x.size(); ++i) {
        points.push_back(
            {band.x[i], log ? (band.mean[i] > 0 ? std::log10(band.mean[i]) : std::nan("")) : band.mean[i]});
        lines.low.push_back(log ? logarithm(band.low[i]) : band.low[i]);
        lines.high.push_back(log ? logarithm(band.high[i]) : band.high[i]);
    }
    lines.mean = std::make_shared<const series::Trace>(std::move(points));
    return lines;
}

void drawMarks(series::Canvas& canvas, const series::View& view, const Drawn& curve, double scale) {
    for (const auto& mark : curve.prepared->marks) {
        if (mark.x < view.left || mark.x > view.right) {
            continue;
        }
        const double x = view.x(mark.x);
        const bool below = mark.kind == series::Mark::Kind::MinusInfinity;
        const double top = below ? view.height - kMarkHeight * scale : 0;
        canvas.rectangle(x - scale, top, x + scale, top + kMarkHeight * scale, colorOf(curve.input->color));
    }
}

QString countText(std::int64_t step) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(step));
}

/// Restarts and checkpoints of all runs, at most one of each a pixel.
std::vector<EventTick> eventsOf(const std::vector<Drawn>& curves, const CurveScene& scene,
                                const series::Axis& axis) {
    std::map<std::pair<int, EventTick::Kind>, EventTick> byPixel;
    const double perPixel = axis.range.length() / std::max(1, scene.size.width());
    const auto add = [&](const Drawn& curve, std::int64_t step, EventTick::Kind kind, auto what) {
        const double x = curve.prepared->xOfStep(static_cast<double>(step), scene.settings.logX);
        if (!(x >= axis.range.minimum && x <= axis.range.maximum)) {
            return;
        }
        // Ticks are four pixels wide.
        const int pixel = static_cast<int>((x - axis.range.minimum) / perPixel / 4);
        const auto [at, isNew] = byPixel.try_emplace({pixel, kind});
        if (isNew) {
            at->second = {x, kind, curve.input->color,
                          what() + countText(step) + QStringLiteral(" · ") + curve.input->name, 0};
        } else {
            ++at->second.more;
        }
    };
    for (const auto& curve : curves) {
        if (!curve.input->events || curve.prepared->raw->empty()) {
            continue;
        }
        for (const auto& checkpoint : curve.input->events->checkpoints) {
            add(curve, checkpoint.step, EventTick::Kind::Checkpoint,
                [] { return QStringLiteral("Checkpoint at step "); });
        }
        for (const auto& restart : curve.input->events->restarts) {
            add(curve, restart.fromStep, EventTick::Kind::Restart,
                [&] { return QStringLiteral("Attempt %1 went on from step ").arg(restart.attempt); });
        }
    }
    std::vector<EventTick> ticks;
    for (auto& [pixel, tick] : byPixel) {
        ticks.push_back(std::move(tick));
    }
    return ticks;
}

}  // namespace

CurvePicture renderCurves(const CurveScene& scene, std::stop_token stop) {
    QElapsedTimer time;
    time.start();
    const CurveSettings& settings = scene.settings;
    CurvePicture picture;
    picture.settings = settings;

    std::vector<Drawn> curves;
    curves.reserve(scene.curves.size());
    for (const auto& input : scene.curves) {
        if (stop.stop_requested()) {
            throw Cancelled();
        }
        curves.push_back(
            {&input, scene.cache ? scene.cache->get(input, settings) : prepareCurve(input, settings)});
        picture.points += curves.back().prepared->raw->size() + curves.back().prepared->marks.size();
        picture.withoutPlace += curves.back().prepared->withoutPlace;
    }
    if (scene.cache) {
        scene.cache->trim();
    }

    picture.everything = everythingOf(curves);
    picture.x = xAxisOf(scene, picture.everything);
    const Range x = picture.x.range;
    std::vector<const series::Trace*> traces;
    for (const auto& [input, prepared] : curves) {
        traces.push_back(prepared->raw.get());
        if (prepared->line != prepared->raw) {
            traces.push_back(prepared->line.get());
        }
    }
    const auto values = series::valueRange(traces, x.minimum, x.maximum, !settings.showAll);
    picture.y = yAxisOf(scene, values);
    if (values.cut) {
        std::vector<const series::Trace*> logged;
        for (const auto& curve : curves) {
            logged.push_back(curve.prepared->raw.get());
        }
        picture.leftOut = series::countOutOfRange(logged, x.minimum, x.maximum, picture.y.range);
    }
    picture.events = eventsOf(curves, scene, picture.x);
    picture.nothingInRange = std::none_of(curves.begin(), curves.end(), [&](const Drawn& curve) {
        const auto& raw = *curve.prepared->raw;
        return !raw.empty() && raw[0].x0 <= x.maximum && raw[raw.size() - 1].x1 >= x.minimum;
    });

    const QSize pixels(std::max(1, static_cast<int>(scene.size.width() * scene.scale / scene.coarser)),
                       std::max(1, static_cast<int>(scene.size.height() * scene.scale / scene.coarser)));
    const double scale = scene.scale / scene.coarser;
    if (scene.size.isEmpty()) {
        return picture;
    }
    const series::View view{x.minimum,      x.maximum,      picture.y.range.minimum, picture.y.range.maximum,
                            pixels.width(), pixels.height()};

    std::vector<GroupLines> groupLines;
    for (const auto& [first, members] : groupsOf(curves)) {
        ShownCurve shown{{}, QString::fromStdString(first->group), first->groupColor, false, nullptr, {}, 1};
        shown.band = series::band(members, settings.spread, x.minimum, x.maximum,
                                  static_cast<std::size_t>(pixels.width()));
        shown.runs = static_cast<int>(members.size());
        groupLines.push_back(linesOf(shown.band, settings.logY));
        picture.shown.push_back(std::move(shown));
    }
    for (const auto& [input, prepared] : curves) {
        if (input->group.empty()) {
            picture.shown.push_back(
                {input->runId, input->name, input->color, input->emphasized, prepared, {}, 1});
        }
    }

    const auto width = [&](float logical) { return std::max(1.0f, logical * static_cast<float>(scale)); };
    const auto isFront = [&](const Drawn& curve) {
        return scene.hovered.empty() ? curve.input->emphasized : curve.input->runId == scene.hovered;
    };
    // Nothing is hovered here when the hovered run is not on this chart.
    const bool faded = !scene.hovered.empty() &&
                       std::any_of(curves.begin(), curves.end(),
                                   [&](const Drawn& c) { return c.input->runId == scene.hovered; });
    // Many curves show through one another: where they crowd is seen, and none is buried.
    const auto shownCurves = static_cast<float>(picture.shown.size());
    const bool many = shownCurves > kFewCurves;
    const float solidity = many ? std::max(kMinOpacity, std::sqrt(kFewCurves / shownCurves)) : 1;
    const auto stroke = [&](const QColor& color, float opacity, float logical, bool front) {
        const float beyond = std::max(kOutlierOpacity * opacity, std::min(opacity, kMinOutlierOpacity));
        return series::Stroke{colorOf(color, opacity), width(logical), front ? 1 : beyond / opacity};
    };
    const auto drawCurve = [&](series::Canvas& canvas, const Drawn& curve, bool front) {
        const bool grouped = !curve.input->group.empty();
        if (grouped && !front) {
            canvas.line(*curve.prepared->raw,
                        stroke(curve.input->groupColor, kRawOpacity * (faded ? kFadedOpacity : 1), 1, false));
            return;
        }
        const float opacity = front ? 1 : faded ? kFadedOpacity : solidity;
        if (curve.prepared->line != curve.prepared->raw) {
            canvas.line(*curve.prepared->raw, stroke(curve.input->color, kRawOpacity * opacity, 1, front));
        }
        const float thickness = front ? kEmphasisedWidth : many ? kManyWidth : kLineWidth;
        canvas.line(*curve.prepared->line, stroke(curve.input->color, opacity, thickness, front));
    };
    const auto draw = [&](series::Canvas& canvas) {
        for (const auto& curve : curves) {
            if (!isFront(curve)) {
                drawCurve(canvas, curve, false);
            }
        }
        for (std::size_t i = 0; i < groupLines.size(); ++i) {
            const auto& shown = picture.shown[i];
            const float opacity = faded ? kFadedOpacity : 1;
            canvas.area(shown.band.x, groupLines[i].low, groupLines[i].high,
                        colorOf(shown.color, kBandOpacity * opacity));
            canvas.line(*groupLines[i].mean, {colorOf(shown.color, opacity), width(kEmphasisedWidth)});
        }
        for (const auto& curve : curves) {
            if (isFront(curve)) {
                drawCurve(canvas, curve, true);
            }
        }
        for (const auto& curve : curves) {
            drawMarks(canvas, view, curve, scale);
        }
    };

    picture.image = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
    const double work = static_cast<double>(curves.size()) * pixels.width();
    const int threads = work > kMuchWork && std::thread::hardware_concurrency() > 1 ? 2 : 1;
    series::render(view, threads, draw, reinterpret_cast<std::uint32_t*>(picture.image.bits()),
                   static_cast<std::size_t>(picture.image.bytesPerLine()) / sizeof(std::uint32_t));
    picture.image.setDevicePixelRatio(scale);
    picture.milliseconds = static_cast<double>(time.nsecsElapsed()) * 1e-6;
    return picture;
}

}  // namespace dailies::ui
