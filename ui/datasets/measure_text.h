#pragma once

#include "core/curation/thresholds.h"

#include <QString>

namespace dailies::ui {

/// How a score is put into words and on an axis.
struct MeasureText {
    QString name;    ///< "Motion"
    QString unit;    ///< "levels a frame"
    QString suffix;  ///< of its number field: " s"
    int decimals;    ///< of its number field
    double step;     ///< of its number field
    double highest;  ///< that its number field takes
    double axisEnd;  ///< 0: by the clips
    bool root;       ///< most clips are near 0: the axis is of the number's root
};

const MeasureText& textOf(curation::Measure measure);

/// "3.20 s", "0.153": the number as its field shows it.
QString valueText(curation::Measure measure, double value);

/// "Keep at least" and "Keep at most" of a threshold, for screen readers and the palette.
QString thresholdName(const curation::Threshold& threshold);

/// "too short", …: why a clip is dropped, for a person.
QString reasonText(curation::Reason reason);

}  // namespace dailies::ui
