#pragma once

#include <QSlider>

namespace dailies::ui {

/// A slider over a clip's frames that shows which of them are played: the loop's range as a band in the
/// groove.
class FrameSlider : public QSlider {
    Q_OBJECT

public:
    explicit FrameSlider(QWidget* parent = nullptr);

    void setLoop(int first, int last);  ///< the whole range shows no band

    int xOf(int frame) const;  ///< where the handle's middle is at this frame, from the slider's left edge

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_first = 0, m_last = 0;
};

}  // namespace dailies::ui
