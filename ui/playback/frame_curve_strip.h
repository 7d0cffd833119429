#pragma once

#include "ui/playback/frame_curves.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace dailies::ui {

class FrameSlider;
class Playhead;

/// Curves over the frames of clips, above the slider that moves through them: the selected clip's as a strong
/// line with its value under the play head, the others' faint. Hidden where there are none.
class FrameCurveStrip : public QWidget {
    Q_OBJECT

public:
    FrameCurveStrip(Playhead& playhead, const FrameSlider& slider, QWidget* parent = nullptr);

    /// The measure that was chosen by name stays chosen where it is among these.
    void setCurves(std::vector<FrameCurves> measures);

    const FrameCurves* shown() const;   ///< null where there are none
    double valueUnderPlayhead() const;  ///< of the selected clip; NaN where nothing is known

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void choose(const QString& name);
    void showValue();

    Playhead& m_playhead;
    const FrameSlider& m_slider;
    std::vector<FrameCurves> m_measures;
    QString m_chosen;
    QToolButton* m_name = nullptr;
    QLabel* m_value = nullptr;
};

}  // namespace dailies::ui
