#include "ui/review/transport_bar.h"

#include "ui/review/playhead.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <array>

namespace dailies::ui {

namespace {

constexpr std::array kSpeeds{0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
constexpr int kCaptionWidth = 40;
constexpr int kValueWidth = 112;

/// Buttons take the focus by Tab only: a click must leave the keyboard with the wall.
template <typename Control>
Control* byTab(Control* control) {
    control->setFocusPolicy(Qt::TabFocus);
    return control;
}

QSlider* makeSlider(const QString& name, const QString& tip) {
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setAccessibleName(name);
    slider->setToolTip(tip);
    slider->setPageStep(1);
    return byTab(slider);
}

QLabel* makeCaption(const QString& text) {
    QLabel* label = makeLabel(text, TextStyle::Body, TextTone::Muted);
    label->setFixedWidth(kCaptionWidth);
    return label;
}

QLabel* makeValue() {
    QLabel* label = makeLabel({}, TextStyle::Mono);
    label->setFixedWidth(kValueWidth);
    label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return label;
}

}  // namespace

TransportBar::TransportBar(Playhead& playhead, QWidget* parent) : QWidget(parent), m_playhead(playhead) {
    setLayout(makeColumn(space::k4, {space::k16, space::k8, space::k16, space::k12}));
    buildSteps();
    buildTransport();
    connect(&playhead, &Playhead::frameChanged, this, &TransportBar::showFrame);
    connect(&playhead, &Playhead::stateChanged, this, &TransportBar::showState);
    showState();
}

void TransportBar::buildSteps() {
    QBoxLayout* row = makeRow(space::k12);
    m_stepSlider = makeSlider(QStringLiteral("Training step"),
                              QStringLiteral("The training step that every run's clips are from (Up, Down)"));
    m_stepText = makeValue();
    row->addWidget(makeCaption(QStringLiteral("Step")));
    row->addWidget(m_stepSlider, 1);
    row->addWidget(m_stepText);
    static_cast<QBoxLayout*>(layout())->addLayout(row);
    connect(m_stepSlider, &QSlider::valueChanged, this, [this](int index) {
        showStep(index);
        emit stepChosen(index);
    });
}

void TransportBar::buildTransport() {
    QBoxLayout* row = makeRow(space::k4);
    const auto button = [&](const char* iconName, const char* name, auto&& onClick) {
        QToolButton* made = byTab(makeIconButton(QLatin1String(iconName), QLatin1String(name)));
        connect(made, &QToolButton::clicked, this, onClick);
        row->addWidget(made);
        return made;
    };
    row->addWidget(makeCaption(QStringLiteral("Frame")));
    row->addSpacing(space::k8);
    button("skip-back", "First frame (Home)", [this] { m_playhead.seek(0); });
    button("step-back", "Previous frame (Left)", [this] { m_playhead.step(-1); });
    m_play = button("play", "Play (Space)", [this] { m_playhead.toggle(); });
    button("step-forward", "Next frame (Right)", [this] { m_playhead.step(1); });
    button("skip-forward", "Last frame (End)", [this] { m_playhead.seek(m_playhead.length() - 1); });
    m_loop = button("loop", "Loop (P)", [this] { m_playhead.setLooping(m_loop->isChecked()); });
    m_loop->setCheckable(true);

    m_speed = byTab(new QComboBox);
    for (const double speed : kSpeeds) m_speed->addItem(QStringLiteral("%1×").arg(speed), speed);
    m_speed->setAccessibleName(QStringLiteral("Speed"));
    m_speed->setToolTip(QStringLiteral("Speed (J and L pressed again go faster)"));
    connect(m_speed, &QComboBox::activated, this,
            [this] { m_playhead.setSpeed(m_speed->currentData().toDouble()); });
    row->addSpacing(space::k8);
    row->addWidget(m_speed);

    m_frameSlider =
        makeSlider(QStringLiteral("Frame"), QStringLiteral("The frame that every tile shows (Left, Right)"));
    connect(m_frameSlider, &QSlider::valueChanged, this, [this](int frame) {
        m_playhead.pause();
        m_playhead.seek(frame);
    });
    m_frameText = makeValue();
    row->addSpacing(space::k8);
    row->addWidget(m_frameSlider, 1);
    row->addSpacing(space::k8);
    row->addWidget(m_frameText);
    static_cast<QBoxLayout*>(layout())->addLayout(row);
}

void TransportBar::setSteps(const std::vector<std::int64_t>& steps, int current) {
    m_steps = steps;
    const QSignalBlocker blocker(m_stepSlider);
    m_stepSlider->setRange(0, std::max(static_cast<int>(steps.size()) - 1, 0));
    m_stepSlider->setEnabled(steps.size() > 1);
    m_stepSlider->setValue(current);
    showStep(current);
}

void TransportBar::showStep(int index) {
    const bool known = index >= 0 && index < static_cast<int>(m_steps.size());
    m_stepText->setText(
        known ? QStringLiteral("%1 / %2").arg(m_steps[static_cast<std::size_t>(index)]).arg(m_steps.back())
              : QStringLiteral("—"));
}

void TransportBar::showFrame() {
    const QSignalBlocker blocker(m_frameSlider);
    m_frameSlider->setValue(m_playhead.frame());
    m_frameText->setText(m_playhead.length() > 0
                             ? QStringLiteral("%1 / %2").arg(m_playhead.frame() + 1).arg(m_playhead.length())
                             : QStringLiteral("—"));
}

void TransportBar::showState() {
    const QSignalBlocker blocker(m_frameSlider);
    m_frameSlider->setRange(0, std::max(m_playhead.length() - 1, 0));
    m_frameSlider->setEnabled(m_playhead.length() > 1);
    const bool playing = m_playhead.isPlaying();
    m_play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    const QString name = playing ? QStringLiteral("Pause (Space)") : QStringLiteral("Play (Space)");
    m_play->setToolTip(name);
    m_play->setAccessibleName(name);
    m_loop->setChecked(m_playhead.isLooping());
    m_speed->setCurrentIndex(m_speed->findData(m_playhead.speed()));
    showFrame();
}

}  // namespace dailies::ui
