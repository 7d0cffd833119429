#pragma once

#include <QWidget>

#include <vector>

class QSlider;

namespace dailies::ui {

/// Some frames of a clip; 0 is the first, the last is included.
struct FrameSpan {
    int first = 0, last = 0;
    bool operator==(const FrameSpan&) const = default;
};

/// Marks over a slider of frames where notes are. Lets the mouse through. Lives as long as the slider.
class NoteMarkers : public QWidget {
    Q_OBJECT

public:
    explicit NoteMarkers(QSlider& slider);

    void setSpans(std::vector<FrameSpan> spans);
    const std::vector<FrameSpan>& spans() const { return m_spans; }
    /// Where the slider's handle stands at that frame.
    int xOf(int frame) const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QSlider& m_slider;
    std::vector<FrameSpan> m_spans;
};

}  // namespace dailies::ui
