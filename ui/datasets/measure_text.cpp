#include "ui/datasets/measure_text.h"

#include <QObject>

#include <array>

namespace dailies::ui {

const MeasureText& textOf(curation::Measure measure) {
    const auto tr = [](const char* text) { return QObject::tr(text); };
    static const std::array<MeasureText, curation::kMeasures> kTexts{{
        {tr("Length"), tr("seconds"), tr(" s"), 1, 0.5, 3600, 0, true},
        {tr("Frames"), tr("a clip"), {}, 0, 8, 1e6, 0, true},
        {tr("Shorter side"), tr("pixels within black bars"), tr(" px"), 0, 32, 16384, 0, false},
        {tr("Motion"), tr("levels a frame"), {}, 2, 0.05, 255, 0, true},
        {tr("Frozen"), tr("share of frames"), {}, 2, 0.05, 1, 1, false},
        {tr("Black"), tr("share of frames"), {}, 2, 0.05, 1, 1, false},
        {tr("White"), tr("share of frames"), {}, 2, 0.05, 1, 1, false},
        {tr("Brightness"), tr("mean level"), {}, 0, 4, 255, 255, false},
        {tr("Contrast"), tr("levels"), {}, 1, 1, 255, 0, false},
        {tr("Sharpness"), tr("squared levels"), {}, 1, 1, 1e6, 0, true},
    }};
    return kTexts[static_cast<std::size_t>(measure)];
}

QString valueText(curation::Measure measure, double value) {
    const auto& text = textOf(measure);
    return QString::number(value, 'f', text.decimals) + text.suffix;
}

QString thresholdName(const curation::Threshold& threshold) {
    const auto& name = textOf(threshold.measure).name;
    return threshold.side == curation::Threshold::Side::Least ? QObject::tr("%1, at least").arg(name)
                                                              : QObject::tr("%1, at most").arg(name);
}

QString reasonText(curation::Reason reason) {
    return QObject::tr(curation::toText(reason));
}

}  // namespace dailies::ui
