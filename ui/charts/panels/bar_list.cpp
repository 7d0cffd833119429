#include "ui/charts/panels/bar_list.h"

#include "ui/charts/panels/plot_runs.h"
#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {
constexpr int kBarRow = 24;
constexpr double kBarHeight = 12;
constexpr double kMaxLabel = 220;
constexpr double kLabelShare = 0.36;  ///< of the width, at most
}  // namespace

BarList::BarList(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(200, 4 * kBarRow);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    setAccessibleName(QStringLiteral("Bars"));
    setAccessibleDescription(
        QStringLiteral("Up and down go along the rows, Space chooses one, Enter opens it."));
    verticalScrollBar()->setSingleStep(kBarRow);
}

void BarList::setRows(std::vector<BarRow> rows, bool logarithmic) {
    const std::string before = m_current ? m_rows[*m_current].id : std::string();
    m_rows = std::move(rows);
    m_logarithmic = logarithmic;
    m_hovered.reset();
    m_current.reset();
    for (std::size_t row = 0; row < m_rows.size() && !before.empty(); ++row) {
        if (m_rows[row].id == before) {
            m_current = row;
        }
    }
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& row : m_rows) {
        if (std::isfinite(row.value)) {
            low = std::min(low, logarithmic ? std::log10(row.value) : row.value - row.error);
            high = std::max(high, logarithmic ? std::log10(row.value) : row.value + row.error);
        }
    }
    if (low > high) {
        low = high = 0;
    }
    m_low = logarithmic ? std::floor(low - 0.05) : std::min(low, 0.0);
    m_high = logarithmic ? std::max(high, m_low + 1) : std::max(high, 0.0);
    if (m_high <= m_low) {
        m_high = m_low + 1;
    }
    layOut();
    emit rowsChanged();
}

void BarList::layOut() {
    const QFontMetricsF metrics(Theme::font(TextStyle::Caption));
    // The one with the most letters is wide enough for all; measuring thousands is not free.
    const auto widest = [&](QString BarRow::*text) {
        const auto longest = std::max_element(
            m_rows.begin(), m_rows.end(),
            [&](const BarRow& a, const BarRow& b) { return (a.*text).size() < (b.*text).size(); });
        return longest == m_rows.end() ? 0 : metrics.horizontalAdvance((*longest).*text);
    };
    const double label = widest(&BarRow::label), value = widest(&BarRow::valueText);
    m_labelWidth = std::min({label + 18, kMaxLabel, kLabelShare * viewport()->width()});
    m_valueWidth = std::min(value + 8, 0.3 * viewport()->width());
    const int all = static_cast<int>(m_rows.size()) * kBarRow;
    verticalScrollBar()->setRange(0, std::max(0, all - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    viewport()->update();
}

QRectF BarList::rowRect(std::size_t row) const {
    return {0, static_cast<double>(row) * kBarRow - verticalScrollBar()->value(),
            static_cast<double>(viewport()->width()), kBarRow};
}

double BarList::xOf(double value) const {
    const double left = m_labelWidth + space::k8;
    const double right = viewport()->width() - m_valueWidth - space::k12;
    return left + placeOf(value) * std::max(1.0, right - left);
}

double BarList::placeOf(double value) const {
    return ((m_logarithmic ? std::log10(value) : value) - m_low) / (m_high - m_low);
}

double BarList::basePlace() const {
    return m_logarithmic ? 0 : placeOf(0);
}

QRectF BarList::barOf(std::size_t row) const {
    const double zero = xOf(m_logarithmic ? std::pow(10.0, m_low) : 0);
    const double end = std::isfinite(m_rows[row].value) ? xOf(m_rows[row].value) : zero;
    const double middle = rowRect(row).center().y();
    return QRectF(QPointF(std::min(zero, end), middle - kBarHeight / 2),
                  QPointF(std::max(zero, end), middle + kBarHeight / 2));
}

void BarList::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::font(TextStyle::Caption));
    if (!m_logarithmic && !m_rows.empty()) {
        painter.setPen(QPen(colors().borderStrong, 1));
        painter.drawLine(QPointF(xOf(0), 0), QPointF(xOf(0), std::min<double>(viewport()->height(),
                                                                              rowRect(m_rows.size()).top())));
    }
    const auto first = static_cast<std::size_t>(verticalScrollBar()->value() / kBarRow);
    for (std::size_t row = first; row < m_rows.size() && rowRect(row).top() < viewport()->height(); ++row) {
        paintRow(painter, row);
    }
}

void BarList::paintRow(QPainter& painter, std::size_t row) const {
    const BarRow& one = m_rows[row];
    const QRectF whole = rowRect(row);
    const QFontMetricsF metrics(painter.font());
    if (row == m_hovered || one.emphasized) {
        painter.fillRect(whole, row == m_hovered ? colors().hover : colors().accentSoft);
    }
    if (row == m_current && hasFocus()) {
        painter.setPen(QPen(colors().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
    QColor color = one.color;
    color.setAlphaF(one.faint ? 0.35f : 1);
    double left = 4;
    if (one.dot) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(one.color);
        painter.drawEllipse(QPointF(8, whole.center().y()), 3.5, 3.5);
        left = 16;
    }
    painter.setPen(one.faint ? colors().textFaint : colors().text);
    painter.drawText(QRectF(left, whole.top(), m_labelWidth - left, whole.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(one.label, Qt::ElideMiddle, m_labelWidth - left));
    if (std::isfinite(one.value)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        const QRectF bar = barOf(row);
        painter.drawRoundedRect(bar.width() < 1 ? bar.adjusted(0, 0, 1 - bar.width(), 0) : bar, 2, 2);
        if (one.error > 0 && !m_logarithmic) {
            const double y = whole.center().y();
            const double from = xOf(one.value - one.error), to = xOf(one.value + one.error);
            painter.setPen(QPen(colors().text, 1.2));
            painter.drawLine(QPointF(from, y), QPointF(to, y));
            painter.drawLine(QPointF(from, y - 3.5), QPointF(from, y + 3.5));
            painter.drawLine(QPointF(to, y - 3.5), QPointF(to, y + 3.5));
        }
    }
    painter.setPen(colors().textMuted);
    painter.drawText(QRectF(whole.right() - m_valueWidth - 4, whole.top(), m_valueWidth, whole.height()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(one.valueText, Qt::ElideRight, m_valueWidth));
}

std::optional<std::size_t> BarList::rowAt(double y) const {
    const double row = std::floor((y + verticalScrollBar()->value()) / kBarRow);
    return row >= 0 && row < static_cast<double>(m_rows.size()) ? std::optional(static_cast<std::size_t>(row))
                                                                : std::nullopt;
}

void BarList::hover(std::optional<std::size_t> row) {
    if (row != m_hovered) {
        m_hovered = row;
        emit hovered(row ? m_rows[*row].id : std::string());
        viewport()->update();
    }
}

void BarList::setHovered(const std::string& id) {
    const auto found =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const BarRow& row) { return row.id == id; });
    m_hovered = found == m_rows.end() || id.empty()
                    ? std::nullopt
                    : std::optional(static_cast<std::size_t>(found - m_rows.begin()));
    viewport()->update();
}

void BarList::goTo(std::size_t row) {
    m_current = row;
    const QRectF at = rowRect(row);
    if (at.top() < 0) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(at.top()));
    } else if (at.bottom() > viewport()->height()) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(at.bottom()) -
                                      viewport()->height());
    }
    setAccessibleDescription(m_rows[row].label + QStringLiteral(": ") + m_rows[row].valueText);
    emit hovered(m_rows[row].id);
    viewport()->update();
}

void BarList::keyPressEvent(QKeyEvent* event) {
    if (m_rows.empty()) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const std::size_t last = m_rows.size() - 1;
    const auto page = static_cast<std::size_t>(std::max(1, viewport()->height() / kBarRow - 1));
    const std::size_t at = m_current.value_or(0);
    switch (event->key()) {
        case Qt::Key_Down:
            goTo(m_current ? std::min(last, at + 1) : 0);
            break;
        case Qt::Key_Up:
            goTo(at > 0 ? at - 1 : 0);
            break;
        case Qt::Key_PageDown:
            goTo(std::min(last, at + page));
            break;
        case Qt::Key_PageUp:
            goTo(at > page ? at - page : 0);
            break;
        case Qt::Key_Home:
            goTo(0);
            break;
        case Qt::Key_End:
            goTo(last);
            break;
        case Qt::Key_Space:
            if (m_current) {
                emit chosen(m_rows[*m_current].id);
            }
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (m_current) {
                emit opened(m_rows[*m_current].id);
            }
            break;
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

bool BarList::viewportEvent(QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseMove:
            hover(rowAt(static_cast<QMouseEvent*>(event)->position().y()));
            break;
        case QEvent::Leave:
            hover(std::nullopt);
            break;
        case QEvent::MouseButtonRelease:
            if (const auto row = rowAt(static_cast<QMouseEvent*>(event)->position().y())) {
                m_current = row;
                emit chosen(m_rows[*row].id);
            }
            break;
        case QEvent::MouseButtonDblClick:
            if (const auto row = rowAt(static_cast<QMouseEvent*>(event)->position().y())) {
                emit opened(m_rows[*row].id);
            }
            break;
        case QEvent::ToolTip: {
            const auto* help = static_cast<QHelpEvent*>(event);
            if (const auto row = rowAt(help->pos().y())) {
                const BarRow& one = m_rows[*row];
                QToolTip::showText(
                    help->globalPos(),
                    escapedToolTip(one.label + QStringLiteral("\n") + one.valueText +
                                   (one.note.isEmpty() ? QString() : QStringLiteral("\n") + one.note)),
                    this);
            }
            return true;
        }
        default:
            break;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void BarList::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

}  // namespace dailies::ui
