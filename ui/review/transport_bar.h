#pragma once

#include <QWidget>

#include <cstdint>
#include <vector>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace dailies::ui {

class Playhead;

/// The two time axes under the wall: a slider over training steps, and the clips' own time with its transport
/// buttons.
class TransportBar : public QWidget {
    Q_OBJECT

public:
    explicit TransportBar(Playhead& playhead, QWidget* parent = nullptr);

    /// The sampled steps and which of them is shown (an index; -1: none).
    void setSteps(const std::vector<std::int64_t>& steps, int current);

signals:
    void stepChosen(int index);

private:
    void buildSteps();
    void buildTransport();
    void showFrame();
    void showState();
    void showStep(int index);

    Playhead& m_playhead;
    std::vector<std::int64_t> m_steps;
    QSlider* m_stepSlider = nullptr;
    QLabel* m_stepText = nullptr;
    QToolButton* m_play = nullptr;
    QToolButton* m_loop = nullptr;
    QComboBox* m_speed = nullptr;
    QSlider* m_frameSlider = nullptr;
    QLabel* m_frameText = nullptr;
};

}  // namespace dailies::ui
