#include "ui/cluster/usage_tile.h"

#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kBarHeight = 6;
}

UsageTile::UsageTile(const QString& title)
    : m_title(title),
      m_figure(makeLabel(QStringLiteral("—"), TextStyle::Title)),
      m_below(new ElidedLabel(TextStyle::Caption, TextTone::Muted)) {
    setProperty("card", true);
    m_figure->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // all tiles are equally wide
    auto* column = makeColumn(space::k4, {space::k16, space::k12, space::k16, space::k12});
    column->addWidget(makeLabel(title, TextStyle::Caption, TextTone::Muted));
    column->addWidget(m_figure);
    column->addSpacing(kBarHeight + space::k8);
    column->addWidget(m_below);
    setLayout(column);
}

void UsageTile::display(const QString& figure, const QString& below, std::vector<Part> parts, double whole) {
    m_figure->setText(figure);
    m_below->setFullText(below);
    m_parts = std::move(parts);
    m_whole = whole;
    setAccessibleName(m_title + QStringLiteral(": ") + figure + QStringLiteral(", ") + below);
    update();
}

void UsageTile::paintEvent(QPaintEvent* event) {
    QFrame::paintEvent(event);
    if (m_whole <= 0) {
        return;
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF track(m_figure->x(), m_figure->geometry().bottom() + space::k8, m_figure->width(),
                       kBarHeight);
    QPainterPath shape;
    shape.addRoundedRect(track, kBarHeight / 2.0, kBarHeight / 2.0);
    painter.fillPath(shape, colors().pressed);
    painter.setClipPath(shape);
    double left = track.left();
    for (const Part& part : m_parts) {
        const double width = track.width() * std::clamp(part.amount / m_whole, 0.0, 1.0);
        painter.fillRect(QRectF(left, track.top(), width, track.height()), toneColor(part.tone));
        left += width;
    }
}

}  // namespace dailies::ui
