#include "ui/playback/frame_slider.h"

#include "ui/theme/theme.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOptionSlider>

namespace dailies::ui {

FrameSlider::FrameSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {}

void FrameSlider::setLoop(int first, int last) {
    if (first == m_first && last == m_last) return;
    m_first = first;
    m_last = last;
    update();
}

int FrameSlider::xOf(int frame) const {
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect handle = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
    return handle.width() / 2 +
           QStyle::sliderPositionFromValue(minimum(), maximum(), frame, width() - handle.width());
}

void FrameSlider::paintEvent(QPaintEvent* event) {
    QSlider::paintEvent(event);
    if (maximum() <= minimum() || (m_first <= minimum() && m_last >= maximum())) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors().warning);
    // Brackets above and below the groove: the handle stays whole, wherever it is.
    const int left = xOf(m_first), right = xOf(m_last), middle = height() / 2;
    constexpr int kMark = 2, kReach = 9;
    painter.drawRoundedRect(QRect(left - kMark, middle - kReach, kMark, 2 * kReach), 1, 1);
    painter.drawRoundedRect(QRect(right, middle - kReach, kMark, 2 * kReach), 1, 1);
    painter.drawRect(QRect(left, middle + kReach - kMark, right - left, kMark));
}

}  // namespace dailies::ui
