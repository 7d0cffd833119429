#pragma once

#include <QWidget>

#include <cstdint>
#include <utility>
#include <vector>

class QBoxLayout;
class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace dailies::ui {

class FrameCurveStrip;
class FrameSlider;
class ShortcutActions;
class Playhead;

/// The two time axes under the wall: a slider over training steps, and the clips' own time with its transport
/// buttons.
class TransportBar : public QWidget {
    Q_OBJECT

public:
    explicit TransportBar(Playhead& playhead, QWidget* parent = nullptr);

    /// The sampled steps and which of them is shown (an index; -1: none).
    void setSteps(const std::vector<std::int64_t>& steps, int current);

    /// A button before the step slider that plays through the training steps with the clips' frame held.
    void setStepPlayhead(Playhead& stepPlayhead);

    /// Places a control of what is watched at the end of the first row.
    void addControl(QWidget& control);

    /// The buttons' tooltips name the keys of these actions, also when they change.
    void setKeys(const ShortcutActions& actions);

    FrameSlider& frameSlider() { return *m_frameSlider; }
    FrameCurveStrip& curveStrip() { return *m_curveStrip; }  ///< above it

signals:
    void stepChosen(int index);

private:
    void buildSteps();
    void buildTransport();
    QToolButton* addButton(QBoxLayout& row, const char* iconName, const char* actionId, const QString& name);
    void showFrame();
    void showState();
    void showStep(int index);
    void nameButtons();

    Playhead& m_playhead;
    const ShortcutActions* m_keys = nullptr;
    std::vector<std::int64_t> m_steps;
    std::vector<std::pair<QToolButton*, QString>> m_actionOfButton;
    QBoxLayout* m_stepRow = nullptr;
    QToolButton* m_playSteps = nullptr;
    QSlider* m_stepSlider = nullptr;
    QLabel* m_stepText = nullptr;
    QToolButton* m_play = nullptr;
    QToolButton* m_loop = nullptr;
    QToolButton* m_pingPong = nullptr;
    QToolButton* m_first = nullptr;
    QToolButton* m_last = nullptr;
    QComboBox* m_speed = nullptr;
    FrameSlider* m_frameSlider = nullptr;
    FrameCurveStrip* m_curveStrip = nullptr;
    QLabel* m_frameText = nullptr;
};

}  // namespace dailies::ui
