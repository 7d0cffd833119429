#include "ui/playback/frame_curve_strip.h"

#include "ui/playback/frame_slider.h"
#include "ui/playback/playhead.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dailies::ui {

namespace {

constexpr int kHeight = 44;
constexpr int kMargin = 4;  ///< above and below the curves
constexpr double kFaint = 0.35;

/// Of all its curves: one scale, so that clips can be compared.
double largestOf(const FrameCurves& measure) {
    double largest = 0;
    for (const auto& curve : measure.curves)
        for (const double value : curve.values)
            if (std::isfinite(value)) largest = std::max(largest, value);
    return largest > 0 ? largest : 1;
}

}  // namespace

FrameCurveStrip::FrameCurveStrip(Playhead& playhead, const FrameSlider& slider, QWidget* parent)
    : QWidget(parent), m_playhead(playhead), m_slider(slider) {
    setFixedHeight(kHeight);
    QBoxLayout* row = makeRow(space::k8);
    setLayout(row);
    m_name = new QToolButton;
    m_name->setAccessibleName(tr("Measure of each frame"));
    m_name->setToolTip(tr("A measure of each frame of the selected clip, and of the others in its row"));
    m_name->setPopupMode(QToolButton::InstantPopup);
    m_name->setFocusPolicy(Qt::TabFocus);
    m_name->setIcon(icon(QStringLiteral("chevron-down")));
    m_name->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_name->setLayoutDirection(Qt::RightToLeft);  // the arrow after the text
    m_name->setMenu(new QMenu(m_name));
    m_value = makeLabel({}, TextStyle::Mono);
    row->addWidget(m_name);
    row->addStretch();
    row->addWidget(m_value);
    connect(&playhead, &Playhead::frameChanged, this, [this] {
        if (isHidden()) return;
        showValue();
        update();
    });
    hide();
}

void FrameCurveStrip::setCurves(std::vector<FrameCurves> measures) {
    m_measures = std::move(measures);
    m_name->menu()->clear();
    for (const FrameCurves& measure : m_measures)
        m_name->menu()->addAction(measure.name, this, [this, name = measure.name] { choose(name); });
    setVisible(!m_measures.empty());
    choose(m_chosen);
}

void FrameCurveStrip::choose(const QString& name) {
    m_chosen = name;
    const FrameCurves* measure = shown();
    m_name->setText(measure ? measure->name : QString());
    m_name->setEnabled(m_measures.size() > 1);
    showValue();
    update();
}

const FrameCurves* FrameCurveStrip::shown() const {
    if (m_measures.empty()) return nullptr;
    const auto chosen = std::ranges::find(m_measures, m_chosen, &FrameCurves::name);
    return chosen == m_measures.end() ? &m_measures.front() : &*chosen;
}

double FrameCurveStrip::valueUnderPlayhead() const {
    const FrameCurves* measure = shown();
    if (!measure || measure->curves.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto& values = measure->curves.back().values;
    const auto frame = static_cast<std::size_t>(std::max(m_playhead.frame(), 0));
    return frame < values.size() ? values[frame] : std::numeric_limits<double>::quiet_NaN();
}

void FrameCurveStrip::showValue() {
    const double value = valueUnderPlayhead();
    m_value->setText(std::isfinite(value) ? QString::number(value, 'f', 4) : QStringLiteral("—"));
}

void FrameCurveStrip::paintEvent(QPaintEvent*) {
    const FrameCurves* measure = shown();
    if (!measure || m_playhead.length() < 2) return;
    const Palette& p = colors();
    const double largest = largestOf(*measure);
    const double left = m_slider.mapTo(window(), QPoint()).x() - mapTo(window(), QPoint()).x();
    const auto place = [&](int frame, double value) {
        return QPointF(left + m_slider.xOf(frame),
                       height() - kMargin - value / largest * (height() - 2 * kMargin));
    };
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.border);
    painter.drawLine(place(0, 0), place(m_playhead.length() - 1, 0));
    for (const auto& curve : measure->curves) {
        const bool isSelected = &curve == &measure->curves.back();
        QPainterPath path;
        bool isDown = false;
        for (int frame = 0; frame < static_cast<int>(curve.values.size()); ++frame) {
            const double value = curve.values[static_cast<std::size_t>(frame)];
            const bool isThere = std::isfinite(value) && frame < m_playhead.length();
            if (isThere) isDown ? path.lineTo(place(frame, value)) : path.moveTo(place(frame, value));
            isDown = isThere;
        }
        QColor color = curve.color.isValid() ? curve.color : p.accent;
        if (!isSelected) color.setAlphaF(kFaint);
        painter.setPen(QPen(color, isSelected ? 2 : 1.5));
        painter.drawPath(path);
    }
    const double x = place(m_playhead.frame(), 0).x();
    painter.setPen(QPen(p.textMuted, 1));
    painter.drawLine(QPointF(x, 0), QPointF(x, height()));
    if (const double value = valueUnderPlayhead(); std::isfinite(value)) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(p.text);
        painter.drawEllipse(place(m_playhead.frame(), value), 3, 3);
    }
}

}  // namespace dailies::ui
