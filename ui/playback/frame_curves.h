#pragma once

#include <QColor>
#include <QString>

#include <vector>

namespace dailies::ui {

/// A measure of each frame of several clips that are on one play head.
struct FrameCurves {
    struct Curve {
        QString clip;  ///< what tells it from the others
        QColor color;
        std::vector<double> values;  ///< a frame each; NaN where nothing is known
    };
    QString name = {};               ///< "pose error"
    std::vector<Curve> curves = {};  ///< the selected clip's last
};

}  // namespace dailies::ui
