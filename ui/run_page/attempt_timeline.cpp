#include "ui/run_page/attempt_timeline.h"

#include "ui/theme/theme.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace dailies::ui {

namespace {

using Span = AttemptTimeline::Span;

constexpr int kBarHeight = 22;
constexpr int kHeight = kBarHeight + 22;
constexpr double kMinWidth = 3;  ///< a second of a week must still be seen

QColor colorOf(Span::Kind kind) {
    switch (kind) {
        case Span::Kind::Waiting:
            return colors().warning;
        case Span::Kind::Running:
            return colors().info;
        case Span::Kind::Finished:
            return colors().success;
        case Span::Kind::Failed:
            return colors().danger;
    }
    return colors().info;
}

}  // namespace

std::vector<Span> timelineOf(const RunRecords& records, std::int64_t nowMs) {
    std::vector<Span> spans;
    if (!records.run) return spans;
    const bool active = isActive(records.run->status);
    std::int64_t at = records.launchedMs;
    const auto wait = [&](int attempt, std::int64_t until) {
        if (at > 0 && until > at)
            spans.push_back(
                {.attempt = attempt,
                 .fromMs = at,
                 .toMs = until,
                 .text =
                     QObject::tr("Waited for attempt %1: %2").arg(attempt).arg(durationText(until - at))});
    };
    int number = 0;
    for (const auto& attempt : records.attempts) {
        ++number;
        if (attempt.startMs <= 0) continue;  // still in the queue
        wait(number, attempt.startMs);
        const bool open = attempt.endMs <= 0;
        const std::int64_t end =
            open ? (active ? nowMs : std::max(attempt.startMs, records.run->endMs.value_or(nowMs)))
                 : attempt.endMs;
        const bool finished = attempt.state == "COMPLETED";
        spans.push_back({.kind = open && active ? Span::Kind::Running
                                 : finished     ? Span::Kind::Finished
                                                : Span::Kind::Failed,
                         .attempt = number,
                         .fromMs = attempt.startMs,
                         .toMs = std::max(end, attempt.startMs),
                         .text = QObject::tr("Attempt %1 on %2: %3, %4")
                                     .arg(number)
                                     .arg(sanitized(attempt.node), sanitized(attempt.state),
                                          durationText(end - attempt.startMs))});
        at = std::max(end, attempt.startMs);
    }
    if (active && (spans.empty() || spans.back().kind != Span::Kind::Running))
        wait(std::max(number, 1), nowMs);
    return spans;
}

AttemptTimeline::AttemptTimeline(QWidget* parent) : QWidget(parent) {
    setFixedHeight(kHeight);
    setAccessibleName(tr("Attempts over time"));
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

void AttemptTimeline::setSpans(std::vector<Span> spans) {
    m_spans = std::move(spans);
    QStringList said;
    for (const Span& span : m_spans) said << span.text;
    setAccessibleDescription(said.join(QStringLiteral("; ")));
    setVisible(!m_spans.empty());
    update();
}

QRectF AttemptTimeline::rectOf(const Span& span) const {
    const double from = static_cast<double>(m_spans.front().fromMs);
    const double length = std::max(1.0, static_cast<double>(m_spans.back().toMs) - from);
    const double left = (static_cast<double>(span.fromMs) - from) / length * (width() - kMinWidth);
    const double right = (static_cast<double>(span.toMs) - from) / length * (width() - kMinWidth);
    return {left, 0, std::max(kMinWidth, right - left), kBarHeight};
}

void AttemptTimeline::paintEvent(QPaintEvent*) {
    if (m_spans.empty()) return;
    const Palette& p = colors();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Span& span : m_spans) {
        QRectF bar = rectOf(span).adjusted(0, 0, -1, 0);
        QColor fill = colorOf(span.kind);
        painter.setPen(Qt::NoPen);
        if (span.kind == Span::Kind::Waiting) {
            fill.setAlphaF(0.25f);
            bar = bar.adjusted(0, kBarHeight / 2.0 - 3, 0, -(kBarHeight / 2.0 - 3));
        }
        painter.setBrush(fill);
        painter.drawRoundedRect(bar, 3, 3);
        if (span.kind != Span::Kind::Waiting && bar.width() > space::k24) {
            painter.setPen(p.window);
            painter.setFont(Theme::font(TextStyle::Caption));
            painter.drawText(bar, Qt::AlignCenter, QString::number(span.attempt));
        }
    }
    painter.setPen(p.textFaint);
    painter.setFont(Theme::font(TextStyle::Caption));
    const QRectF axis(0, kBarHeight + 2, width(), kHeight - kBarHeight - 2);
    painter.drawText(axis, Qt::AlignLeft | Qt::AlignVCenter, timeText(m_spans.front().fromMs));
    painter.drawText(axis, Qt::AlignRight | Qt::AlignVCenter, timeText(m_spans.back().toMs));
}

bool AttemptTimeline::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QString text;
        for (const Span& span : m_spans)
            if (rectOf(span).contains(help->pos())) text = span.text;
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace dailies::ui
