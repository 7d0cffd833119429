#include "ui/charts/tick_text.h"

#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::ui {

namespace {

const QLocale& english() {
    static const QLocale locale(QLocale::English);
    return locale;
}

int decimalsOf(double step) {
    return std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
}

}  // namespace

QString numberText(double value, double step) {
    if (std::abs(value) < step * 1e-6) {
        return QStringLiteral("0");
    }
    const double size = std::max(std::abs(value), step);
    if (size >= 1e15) {
        return QString::number(value, 'g', 3);
    }
    if (step < 1e-4 && size < 1e-2) {  // all ticks of an axis of learning rates alike
        const int digits =
            static_cast<int>(std::floor(std::log10(size) + 1e-9) - std::floor(std::log10(step) + 1e-9));
        return QString::number(value, 'e', digits).replace(QLatin1String("e-0"), QLatin1String("e-"));
    }
    struct Unit {
        double factor;
        const char* sign;
    };
    constexpr std::array kUnits = {Unit{1e12, "T"}, Unit{1e9, "G"}, Unit{1e6, "M"}, Unit{1e3, "k"}};
    for (const auto& [factor, sign] : kUnits) {
        if (size >= 10 * factor || (size >= factor && factor > 1e3)) {
            const int decimals = std::min(3, decimalsOf(step / factor));
            return QString::number(value / factor, 'f', decimals) + QLatin1String(sign);
        }
    }
    const int decimals = decimalsOf(step);
    return decimals > 6 ? QString::number(value, 'g', 4) : QString::number(value, 'f', decimals);
}

QString spanText(double seconds, double step) {
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (step < 1) {
        return QString::number(seconds, 'f', decimalsOf(step)) + QStringLiteral(" s");
    }
    if (whole == 0) {
        return QStringLiteral("0");
    }
    if (step >= 86400) {
        return QStringLiteral("%1 d").arg(whole / 86400);
    }
    if (step >= 3600) {
        return QStringLiteral("%1 h").arg(whole / 3600);
    }
    const QChar zero = QLatin1Char('0');
    if (step >= 60) {
        return whole % 3600 == 0 ? QStringLiteral("%1 h").arg(whole / 3600)
               : whole < 3600
                   ? QStringLiteral("%1 min").arg(whole / 60)
                   : QStringLiteral("%1:%2 h").arg(whole / 3600).arg(whole % 3600 / 60, 2, 10, zero);
    }
    return whole < 60 ? QStringLiteral("%1 s").arg(whole)
                      : QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, zero);
}

QString clockText(double unixSeconds, double step) {
    const auto time = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(std::llround(unixSeconds * 1000)));
    if (step >= 86400) {
        return english().toString(time, QStringLiteral("d MMM"));
    }
    if (time.time() == QTime(0, 0)) {
        return english().toString(time, QStringLiteral("d MMM"));
    }
    return english().toString(time, step >= 60 ? QStringLiteral("HH:mm") : QStringLiteral("HH:mm:ss"));
}

namespace {

QString logarithmText(double exponent) {
    const double value = std::pow(10, exponent);
    const double digits = std::pow(10, std::floor(exponent + 1e-9) - 1);  // two digits are enough
    const bool power = std::abs(value / (digits * 10) - std::round(value / (digits * 10))) < 1e-6;
    return numberText(value, power ? digits * 10 : digits);
}

}  // namespace

std::vector<QString> xTickTexts(const series::Axis& axis, const CurveSettings& settings) {
    std::vector<QString> texts;
    for (const double tick : axis.ticks) {
        const double value = settings.logX ? std::pow(10, tick) : tick;
        const double step = settings.logX ? std::max(value, 1e-300) : axis.step;
        switch (settings.x.kind) {
            case XAxis::Kind::WallTime:
                texts.push_back(clockText(value, settings.logX ? 1 : step));
                break;
            case XAxis::Kind::Relative:
                texts.push_back(spanText(value, step));
                break;
            default:
                texts.push_back(settings.logX ? logarithmText(tick) : numberText(value, step));
        }
    }
    return texts;
}

std::vector<QString> yTickTexts(const series::Axis& axis, const CurveSettings& settings) {
    std::vector<QString> texts;
    for (const double tick : axis.ticks) {
        texts.push_back(settings.logY ? logarithmText(tick) : numberText(tick, axis.step));
    }
    return texts;
}

QString xText(double x, const CurveSettings& settings) {
    const double value = settings.logX ? std::pow(10, x) : x;
    switch (settings.x.kind) {
        case XAxis::Kind::Step:
            return QStringLiteral("step ") + english().toString(static_cast<qlonglong>(std::llround(value)));
        case XAxis::Kind::WallTime:
            return english().toString(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(value * 1000)),
                                      QStringLiteral("d MMM HH:mm:ss"));
        case XAxis::Kind::Relative:
            return value < 1 ? QString::number(value, 'f', 2) + QStringLiteral(" s")
                             : durationText(static_cast<std::int64_t>(value * 1000));
        case XAxis::Kind::Metric:
            break;
    }
    return sanitized(settings.x.metric) + QLatin1Char(' ') +
           (std::abs(value) >= 10'000 ? english().toString(static_cast<qlonglong>(std::llround(value)))
                                      : metricText(value));
}

QString xTitle(const XAxis& axis) {
    switch (axis.kind) {
        case XAxis::Kind::Step:
            return QStringLiteral("step");
        case XAxis::Kind::WallTime:
            return QStringLiteral("time");
        case XAxis::Kind::Relative:
            return QStringLiteral("time since start");
        case XAxis::Kind::Metric:
            break;
    }
    return sanitized(axis.metric);
}

}  // namespace dailies::ui
