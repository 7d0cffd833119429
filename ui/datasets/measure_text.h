#pragma once

#include "core/curation/clip_set.h"

#include <QString>

namespace dailies::ui {

/// How a score is put into words and on an axis.
struct MeasureText {
    QString name;            ///< "Motion"
    QString unit;            ///< "levels a frame"
    QString suffix = {};     ///< of its number field: " s"
    int decimals = 0;        ///< of its number field
    double step = 1;         ///< of its number field
    double lowest = 0;       ///< that its number field takes
    double highest = 1;      ///< likewise
    double axisEnd = 0;      ///< 0: by the clips
    bool root = false;       ///< most clips are near 0: the axis is of the number's root
    bool isScorers = false;  ///< a scorer's: any number, 0 is one like others
};

MeasureText textOf(const curation::ClipSet& clips, curation::Measure measure);

/// "3.20 s", "0.153": the number as its field shows it; "–" where there is none.
QString valueText(const curation::ClipSet& clips, curation::Measure measure, double value);
QString lengthText(double seconds);  ///< the same of a length

/// "Motion, at least" and "Motion, at most", for screen readers and the palette.
QString thresholdName(const MeasureText& measure, const curation::Threshold& threshold);

/// "static", "aesthetic", …: why a clip is dropped, for a person.
QString reasonText(const curation::ClipSet& clips, curation::Reason reason);
QString reasonsText(const curation::ClipSet& clips, curation::ReasonSet reasons);  ///< "static, aesthetic"

}  // namespace dailies::ui
