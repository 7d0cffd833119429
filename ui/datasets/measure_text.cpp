#include "ui/datasets/measure_text.h"

#include "ui/widgets/widgets.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::ui {

namespace {

const MeasureText& ownText(curation::Measure measure) {
    const auto tr = [](const char* text) { return QObject::tr(text); };
    static const std::array<MeasureText, curation::kMeasures> kTexts{{
        {tr("Length"), tr("seconds"), tr(" s"), 1, 0.5, 0, 3600, 0, true},
        {tr("Frames"), tr("a clip"), {}, 0, 8, 0, 1e6, 0, true},
        {tr("Shorter side"), tr("pixels within black bars"), tr(" px"), 0, 32, 0, 16384, 0, false},
        {tr("Motion"), tr("levels a frame"), {}, 2, 0.05, 0, 255, 0, true},
        {tr("Frozen"), tr("share of frames"), {}, 2, 0.05, 0, 1, 1, false},
        {tr("Black"), tr("share of frames"), {}, 2, 0.05, 0, 1, 1, false},
        {tr("White"), tr("share of frames"), {}, 2, 0.05, 0, 1, 1, false},
        {tr("Brightness"), tr("mean level"), {}, 0, 4, 0, 255, 255, false},
        {tr("Contrast"), tr("levels"), {}, 1, 1, 0, 255, 0, false},
        {tr("Sharpness"), tr("squared levels"), {}, 1, 1, 0, 1e6, 0, true},
    }};
    return kTexts[static_cast<std::size_t>(measure)];
}

/// As fine as a step of a hundredth of where most clips lie.
MeasureText scorersText(const curation::ClipSet& clips, std::size_t key) {
    constexpr int kMostDecimals = 6;
    constexpr double kFar = 1e9;
    const auto [low, high] = clips.scoreRange(key);
    const double hundredth = high > low ? (high - low) / 100 : std::max(std::abs(high), 1.0) / 100;
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(hundredth))), 0, kMostDecimals);
    return {.name = sanitized(clips.scoreKeys()[key]),
            .unit = QObject::tr("scorer"),
            .decimals = decimals,
            .step = std::pow(10, -decimals),
            .lowest = -kFar,
            .highest = kFar,
            .isScorers = true};
}

}  // namespace

MeasureText textOf(const curation::ClipSet& clips, curation::Measure measure) {
    const auto number = static_cast<std::size_t>(measure);
    return number < curation::kMeasures ? ownText(measure) : scorersText(clips, number - curation::kMeasures);
}

QString valueText(const curation::ClipSet& clips, curation::Measure measure, double value) {
    if (std::isnan(value)) return QStringLiteral("–");
    const auto text = textOf(clips, measure);
    return QString::number(value, 'f', text.decimals) + text.suffix;
}

QString lengthText(double seconds) {
    const auto& text = ownText(curation::Measure::Seconds);
    return QString::number(seconds, 'f', text.decimals) + text.suffix;
}

QString thresholdName(const MeasureText& measure, const curation::Threshold& threshold) {
    return threshold.side == curation::Threshold::Side::Least ? QObject::tr("%1, at least").arg(measure.name)
                                                              : QObject::tr("%1, at most").arg(measure.name);
}

QString reasonText(const curation::ClipSet& clips, curation::Reason reason) {
    const auto number = static_cast<std::size_t>(reason);
    if (number >= curation::kReasons) return sanitized(clips.scoreKeys()[number - curation::kReasons]);
    return QObject::tr(curation::nameOf(reason).c_str());
}

QString reasonsText(const curation::ClipSet& clips, curation::ReasonSet reasons) {
    QStringList names;
    for (std::size_t i = 0; i < clips.reasons(); ++i)
        if (const auto reason = static_cast<curation::Reason>(i); reasons & curation::bitOf(reason))
            names << reasonText(clips, reason);
    return names.join(QStringLiteral(", "));
}

}  // namespace dailies::ui
