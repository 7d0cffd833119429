#include "ui/review/judging/note_markers.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QPainter>
#include <QSlider>
#include <QStyle>

namespace dailies::ui {

namespace {
constexpr int kHandle = 16;  // its width in the style sheet, with its edge
}

NoteMarkers::NoteMarkers(QSlider& slider) : QWidget(&slider), m_slider(slider) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    resize(slider.size());
    slider.installEventFilter(this);
    connect(&slider, &QSlider::rangeChanged, this, qOverload<>(&QWidget::update));
}

void NoteMarkers::setSpans(std::vector<FrameSpan> spans) {
    if (spans == m_spans) return;
    m_spans = std::move(spans);
    update();
}

int NoteMarkers::xOf(int frame) const {
    return kHandle / 2 +
           QStyle::sliderPositionFromValue(m_slider.minimum(), m_slider.maximum(), frame, width() - kHandle);
}

bool NoteMarkers::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) resize(m_slider.size());
    return QWidget::eventFilter(watched, event);
}

void NoteMarkers::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors().warning);
    for (const FrameSpan& span : m_spans) {
        const int left = xOf(span.first), right = xOf(span.last);
        painter.drawRoundedRect(QRectF(left - 1.5, 0, right - left + 3, 4), 1.5, 1.5);
    }
}

}  // namespace dailies::ui
