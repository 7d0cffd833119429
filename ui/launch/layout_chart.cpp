#include "ui/launch/layout_chart.h"

#include "core/base/byte_units.h"
#include "ui/launch/layout_text.h"
#include "ui/theme/theme.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLineSeries>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kDot = 8, kRing = 15, kReach = 10;  // px

double memoryOf(const planner::LayoutCandidate& choice) {
    return choice.bytes / kGibibyte;
}

QScatterSeries* makeDots(const QColor& fill, const QColor& edge, double size, double edgeWidth = 1) {
    auto* dots = new QScatterSeries;
    dots->setMarkerSize(size);
    dots->setColor(fill);
    dots->setPen(QPen(edge, edgeWidth));
    return dots;
}

QValueAxis* makeValueAxis(const QString& title, double most, const char* format) {
    auto* axis = new QValueAxis;
    axis->setTitleText(title);
    axis->setTitleFont(Theme::font(TextStyle::Caption));
    axis->setTitleBrush(colors().textMuted);
    axis->setLabelsFont(Theme::font(TextStyle::Caption));
    axis->setLabelsColor(colors().textFaint);
    axis->setLinePen(QPen(colors().border, 1));
    axis->setGridLinePen(QPen(colors().border, 1));
    axis->setLabelFormat(QLatin1String(format));
    axis->setRange(0, most);
    axis->applyNiceNumbers();
    return axis;
}

}  // namespace

LayoutChart::LayoutChart(QWidget* parent) : QChartView(parent) {
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setBackgroundBrush(Qt::transparent);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setMinimumHeight(180);
    setAccessibleName(tr("Layouts, memory against speed; the table below has the same"));
    onThemeChange(this, [this] { rebuild(); });
    rebuild();
}

void LayoutChart::display(const planner::LayoutCandidates& choices) {
    m_choices = choices;
    m_selected.reset();
    rebuild();
}

void LayoutChart::select(std::optional<std::size_t> choice) {
    if (m_selected == choice) {
        return;
    }
    m_selected = choice;
    rebuild();
}

void LayoutChart::rebuild() {
    auto* drawn = new QChart;
    drawn->legend()->hide();
    drawn->setBackgroundVisible(false);
    drawn->setMargins({0, 0, 0, 0});
    drawn->layout()->setContentsMargins(0, 0, 0, 0);
    double mostMemory = 1, mostTokens = 1, room = 0;
    for (const auto& choice : m_choices.shown) {
        mostMemory = std::max(mostMemory, memoryOf(choice));
        mostTokens = std::max(mostTokens, choice.speed.tokensPerSecond());
        room = choice.available.value_or(0) / kGibibyte;
    }
    if (room > 0) {  // what is far beyond it needs no place
        mostMemory = std::min(mostMemory, 3 * room);
    }
    const bool thousands = mostTokens > 20'000;
    const double unit = thousands ? 1000 : 1;
    auto* x = makeValueAxis(tr("Memory of a rank, GiB"), mostMemory * 1.03, mostMemory < 8 ? "%.1f" : "%.0f");
    auto* y = makeValueAxis(thousands ? tr("Thousand tokens a second") : tr("Tokens a second"),
                            mostTokens / unit * 1.05, "%.0f");
    drawn->addAxis(x, Qt::AlignBottom);
    drawn->addAxis(y, Qt::AlignLeft);

    auto* tooLarge = makeDots(colors().borderStrong, colors().surface, kDot);
    auto* fitting = makeDots(colors().info, colors().surface, kDot);
    auto* front = new QLineSeries;
    front->setPen(QPen(colors().accent, 1.5));
    auto* own = makeDots(Qt::transparent, colors().text, kRing, 2);
    auto* chosen = makeDots(colors().accent, colors().surface, kDot + 4);
    auto* limit = new QLineSeries;
    limit->setPen(QPen(colors().danger, 1, Qt::DashLine));
    if (room > 0) {
        limit->append(room, 0);
        limit->append(room, y->max());
    }
    for (std::size_t i = 0; i < m_choices.shown.size(); ++i) {
        const auto& choice = m_choices.shown[i];
        const QPointF at(memoryOf(choice), choice.speed.tokensPerSecond() / unit);
        (choice.fits() ? fitting : tooLarge)->append(at);
        if (choice.onParetoFront) {
            front->append(at);
        }
        if (choice.isOwn) {
            own->append(at);
        }
        if (m_selected == i) {
            chosen->append(at);
        }
    }
    for (auto* series : std::initializer_list<QXYSeries*>{limit, tooLarge, front, fitting, chosen, own}) {
        drawn->addSeries(series);
        series->attachAxis(x);
        series->attachAxis(y);
    }
    const std::unique_ptr<QChart> before(chart());
    setChart(drawn);
}

QPointF LayoutChart::pointOf(std::size_t choice) const {
    const auto& judged = m_choices.shown.at(choice);
    auto* series = chart()->series().constLast();
    const auto* y = qobject_cast<QValueAxis*>(chart()->axes(Qt::Vertical).constFirst());
    const bool thousands = y->titleText() == tr("Thousand tokens a second");
    return mapFromScene(chart()->mapToScene(chart()->mapToPosition(
        QPointF(memoryOf(judged), judged.speed.tokensPerSecond() / (thousands ? 1000 : 1)), series)));
}

std::optional<std::size_t> LayoutChart::choiceNear(const QPointF& at) const {
    std::optional<std::size_t> nearest;
    double least = kReach;
    for (std::size_t i = 0; i < m_choices.shown.size(); ++i) {
        const auto away = pointOf(i) - at;
        if (const double distance = std::hypot(away.x(), away.y()); distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

void LayoutChart::mousePressEvent(QMouseEvent* event) {
    if (const auto choice = choiceNear(event->position())) {
        emit selected(*choice);
    }
}

void LayoutChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto choice = choiceNear(event->position())) {
        emit activated(*choice);
    }
}

void LayoutChart::mouseMoveEvent(QMouseEvent* event) {
    const auto choice = choiceNear(event->position());
    setCursor(choice ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (choice) {
        QToolTip::showText(event->globalPosition().toPoint(), hoverText(m_choices.shown[*choice]), this);
    } else {
        QToolTip::hideText();
    }
}

}  // namespace dailies::ui
