#include "ui/widgets/rendered_canvas.h"

#include "ui/theme/theme.h"

#include <QPaintEngine>
#include <QPainter>

namespace dailies::ui {

RenderedCanvas::RenderedCanvas(QWidget* parent, Ground ground) : QWidget(parent), m_ground(ground) {
    m_schedule.setSingleShot(true);
    m_schedule.setInterval(0);
    connect(&m_schedule, &QTimer::timeout, this, &RenderedCanvas::start);
    onThemeChange(this, [this] { redraw(); });
}

void RenderedCanvas::redraw() {
    m_schedule.start();
    update();
}

void RenderedCanvas::start() {
    if (m_rendering) {
        // Not cancelled: dragging a brush would never see a picture.
        m_again = true;
        return;
    }
    if (size().isEmpty()) {
        return;
    }
    m_rendering = true;
    m_again = false;
    m_task = runAsync(
        this,
        [draw = drawing(), logical = size(), scale = devicePixelRatioF(),
         covered = m_ground == Ground::Covered](std::stop_token stop) {
            QImage image(logical * scale,
                         covered ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied);
            image.setDevicePixelRatio(scale);
            if (!covered) image.fill(Qt::transparent);
            if (draw && !image.isNull()) {
                QPainter painter(&image);
                painter.setRenderHint(QPainter::Antialiasing);
                draw(painter, stop);
            }
            return image;
        },
        [this](QImage image) {
            m_image = std::move(image);
            m_rendering = false;
            update();
            if (m_again) {
                redraw();
            }
        },
        [this](const Error&) { m_rendering = false; });
}

void RenderedCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintBackground(painter);
    const QPaintEngine& engine = *painter.paintEngine();
    const bool onScreen = engine.type() == QPaintEngine::Raster &&
                          engine.paintDevice()->devicePixelRatioF() == devicePixelRatioF();
    if (!onScreen) {
        if (const auto draw = drawing()) {
            painter.save();
            draw(painter, {});
            painter.restore();
        }
    } else if (!m_image.isNull() && m_image.deviceIndependentSize().toSize() == size()) {
        painter.drawImage(QPointF(0, 0), m_image);
    }
    paintForeground(painter);
}

void RenderedCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    redraw();
}

}  // namespace dailies::ui
