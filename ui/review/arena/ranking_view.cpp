#include "ui/review/arena/ranking_view.h"

#include "ui/theme/theme.h"
#include "ui/wall/wall_paint.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kHead = 28, kLine = 56;
constexpr int kRank = 40, kName = 260, kScore = 120, kNumbers = 128;

QString numberText(double value) {
    return (value < 0 ? QStringLiteral("−") : QStringLiteral("+")) + QString::number(std::abs(value), 'f', 2);
}

}  // namespace

RankingView::RankingView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Ranking"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void RankingView::setLines(std::vector<Line> lines) {
    m_lines = std::move(lines);
    QStringList words;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const Line& line = m_lines[i];
        words << (line.isRated() ? tr("%1. %2: rating %3, between %4 and %5")
                                       .arg(i + 1)
                                       .arg(line.name, numberText(line.strength), numberText(line.low),
                                            numberText(line.high))
                                 : tr("%1. %2: no estimate yet").arg(i + 1).arg(line.name));
    }
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    setFixedHeight(sizeHint().height());
    update();
}

QSize RankingView::sizeHint() const {
    return {720, kHead + static_cast<int>(m_lines.size()) * kLine + 1};
}

void RankingView::paintEvent(QPaintEvent*) {
    if (m_lines.empty()) return;
    const Palette& p = colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    double low = 0, high = 0;
    for (const Line& line : m_lines) {
        if (!line.isRated()) continue;
        low = std::min(low, line.low);
        high = std::max(high, line.high);
    }
    const QRectF axis(kRank + kName + space::k16, 0,
                      width() - kRank - kName - kScore - kNumbers - 2 * space::k16, height());
    const auto x = [&](double strength) {
        return axis.left() + (strength - low) / std::max(high - low, 1e-9) * axis.width();
    };
    painter.setPen(QPen(p.borderStrong, 1, Qt::DashLine));
    painter.drawLine(QPointF(x(0), kHead), QPointF(x(0), height()));
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(p.textMuted);
    const int numbers = static_cast<int>(axis.right()) + space::k16;
    painter.drawText(
        QRect(static_cast<int>(axis.left()), 0, numbers + kNumbers - static_cast<int>(axis.left()), kHead),
        Qt::AlignRight | Qt::AlignVCenter, tr("Rating (log-odds)"));
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const Line& line = m_lines[i];
        const QRect row(0, kHead + static_cast<int>(i) * kLine, width(), kLine);
        painter.setPen(p.border);
        painter.drawLine(row.bottomLeft(), row.bottomRight());
        painter.setFont(Theme::font(TextStyle::Title));
        painter.setPen(i == 0 ? p.text : p.textFaint);
        painter.drawText(QRect(row.left(), row.top(), kRank, row.height()), Qt::AlignCenter,
                         QString::number(i + 1));

        painter.setPen(Qt::NoPen);
        painter.setBrush(line.color);
        painter.drawEllipse(QPointF(kRank + 5, row.top() + 20), 4.5, 4.5);
        const QRect name(kRank + space::k16, row.top() + 8, kName - space::k16, 22);
        painter.setFont(Theme::font(TextStyle::Strong));
        painter.setPen(p.text);
        drawElided(painter, name, Qt::AlignLeft | Qt::AlignVCenter, line.name);
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(p.textMuted);
        drawElided(painter, name.translated(0, 20), Qt::AlignLeft | Qt::AlignVCenter, line.details);

        if (!line.isRated()) {
            painter.drawText(QRect(numbers, row.top(), kNumbers, row.height()),
                             Qt::AlignRight | Qt::AlignVCenter, tr("No estimate yet"));
            continue;
        }
        const double middle = row.center().y() + 0.5;
        painter.setPen(QPen(line.color, 3, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(x(line.low), middle), QPointF(x(line.high), middle));
        painter.setPen(QPen(p.window, 2));
        painter.setBrush(line.color);
        painter.drawEllipse(QPointF(x(line.strength), middle), 6, 6);

        painter.setFont(Theme::font(TextStyle::Mono));
        painter.setPen(p.text);
        painter.drawText(QRect(numbers, row.top(), kNumbers, row.height()), Qt::AlignRight | Qt::AlignVCenter,
                         numberText(line.strength) + QStringLiteral(" ± ") +
                             QString::number((line.high - line.low) / 2, 'f', 2));
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(p.textMuted);
        painter.drawText(QRect(numbers + kNumbers, row.top(), kScore, row.height()),
                         Qt::AlignRight | Qt::AlignVCenter,
                         tr("%1 won, %2 tied, %3 lost").arg(line.wins).arg(line.ties).arg(line.losses));
    }
}

}  // namespace dailies::ui
