#include "ui/charts/panels/bar_overview.h"

#include "ui/charts/panels/bar_list.h"
#include "ui/charts/panels/plot_runs.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {
constexpr int kPlotHeight = 36;
constexpr int kTextHeight = 16;
constexpr double kNarrowestFrame = 8;
constexpr float kBeside = 0.5f;  ///< opacity of the bars outside the frame
}  // namespace

BarOverview::BarOverview(BarList& list, QWidget* parent) : QWidget(parent), m_list(list) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
    setToolTip(QStringLiteral("All bars in their order; drag to go along them"));
    setAccessibleName(QStringLiteral("Overview of all bars"));
    const auto repaint = [this] { update(); };
    connect(&m_list, &BarList::rowsChanged, this, [this] {
        setAccessibleDescription(summaryText());
        update();
    });
    connect(&m_list, &BarList::hovered, this, repaint);
    connect(m_list.verticalScrollBar(), &QScrollBar::valueChanged, this, repaint);
    connect(m_list.verticalScrollBar(), &QScrollBar::rangeChanged, this, repaint);
}

QSize BarOverview::sizeHint() const {
    return {200, kPlotHeight + kTextHeight};
}

QRectF BarOverview::plotArea() const {
    return QRectF(rect()).adjusted(1, 1, -1, -kTextHeight);
}

QRectF BarOverview::frame() const {
    const auto* bar = m_list.verticalScrollBar();
    const double all = bar->maximum() + bar->pageStep();
    const QRectF area = plotArea();
    const double width = std::max(kNarrowestFrame, area.width() * std::min(1.0, bar->pageStep() / all));
    const double share = bar->maximum() > 0 ? bar->value() / static_cast<double>(bar->maximum()) : 0;
    return {area.left() + share * (area.width() - width), area.top(), width, area.height()};
}

QString BarOverview::summaryText() const {
    const auto& rows = m_list.rows();
    const auto finite = static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const BarRow& row) { return std::isfinite(row.value); }));
    return finite == 0 ? QString()
                       : QStringLiteral("%1 · median %2 · %3")
                             .arg(rows[0].valueText, rows[finite / 2].valueText, rows[finite - 1].valueText);
}

void BarOverview::paintEvent(QPaintEvent*) {
    const auto& rows = m_list.rows();
    if (rows.empty()) {
        return;
    }
    QPainter painter(this);
    const QRectF area = plotArea();
    const auto yOf = [&](double place) { return area.bottom() - place * area.height(); };
    const double base = yOf(m_list.basePlace());
    const QRectF seen = frame();
    painter.fillRect(seen, colors().accentSoft);

    // A column of device pixels each: the bars behind it are neighbours in value, so their outermost stands
    // for them.
    const double breadth = 1 / devicePixelRatioF();
    const auto columns = static_cast<std::size_t>(std::max(1.0, area.width() / breadth));
    const std::size_t shown = std::min(columns, rows.size());
    const double step = area.width() / static_cast<double>(shown);
    for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t from = i * rows.size() / shown, to = (i + 1) * rows.size() / shown;
        double top = base, bottom = base;
        bool emphasized = false;
        for (std::size_t row = from; row < to; ++row) {
            emphasized = emphasized || rows[row].emphasized;
            if (std::isfinite(rows[row].value)) {
                const double y = yOf(m_list.placeOf(rows[row].value));
                top = std::min(top, y);
                bottom = std::max(bottom, y);
            }
        }
        const double x = area.left() + static_cast<double>(i) * step;
        // Few bars keep a gap between them.
        const double width = step > 4 * breadth ? step - breadth : step;
        QColor color = emphasized ? colors().text : colors().accent;
        color.setAlphaF(emphasized || (x + width > seen.left() && x < seen.right()) ? 1 : kBeside);
        painter.fillRect(QRectF(x, top, width, std::max(bottom - top, breadth)), color);
    }
    if (const auto hovered = m_list.hoveredRow()) {
        const double x = area.left() + (static_cast<double>(*hovered) + 0.5) * area.width() /
                                           static_cast<double>(rows.size());
        painter.fillRect(QRectF(x - 0.5, area.top(), 1, area.height()), colors().text);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colors().text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(seen.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);

    const QFont captions = Theme::font(TextStyle::Caption);
    const QFontMetricsF metrics(captions);
    painter.setFont(captions);
    painter.setPen(colors().textMuted);
    const QRectF line(area.left(), area.bottom() + 1, area.width(), kTextHeight - 1);
    const QString left = summaryText();
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(left, Qt::ElideRight, line.width()));
    const QString right = QStringLiteral("all %1, drag to go along them").arg(countToString(rows.size()));
    if (metrics.horizontalAdvance(left) + metrics.horizontalAdvance(right) + space::k16 < line.width()) {
        painter.setPen(colors().textFaint);
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, right);
    }
}

void BarOverview::goTo(double x) {
    const QRectF area = plotArea();
    const double width = frame().width();
    const double share = (x - area.left() - width / 2) / std::max(1.0, area.width() - width);
    auto* bar = m_list.verticalScrollBar();
    bar->setValue(static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * bar->maximum())));
}

void BarOverview::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        goTo(event->position().x());
    }
}

void BarOverview::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton)) {
        goTo(event->position().x());
    }
}

void BarOverview::wheelEvent(QWheelEvent* event) {
    QCoreApplication::sendEvent(m_list.verticalScrollBar(), event);
}

}  // namespace dailies::ui
