#include "ui/playback/transport_bar.h"

#include "ui/playback/frame_curve_strip.h"
#include "ui/playback/frame_slider.h"
#include "ui/playback/playhead.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/message_hints.h"
#include "ui/widgets/shortcut_actions.h"
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
constexpr int kNarrowestSlider = 48;  ///< that can still be dragged

/// Buttons take the focus by Tab only: a click must leave the keyboard with the wall.
template <typename Control>
Control* byTab(Control* control) {
    control->setFocusPolicy(Qt::TabFocus);
    return control;
}

template <typename Slider>
Slider* named(Slider* slider, const QString& name, const QString& tip) {
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
    keepClearOfMessages(*this);
    setLayout(makeColumn(space::k4, {space::k16, space::k8, space::k16, space::k12}));
    buildSteps();
    buildTransport();
    auto* fit = new FitToWidth(*this);
    fit->narrow(*m_frameSlider, kNarrowestSlider);
    fit->narrow(*m_stepSlider, kNarrowestSlider);
    fit->addStep([this](bool tight) {
        m_frameText->setMinimumWidth(tight ? 0 : kValueWidth);
        m_stepText->setMinimumWidth(tight ? 0 : kValueWidth);
    });
    for (QLabel* caption : findChildren<QLabel*>())
        if (caption != m_frameText && caption != m_stepText) fit->hide(*caption);
    // keys do it, too
    for (QWidget* button : {m_pingPong, m_first, m_last}) fit->hide(*button);
    connect(&playhead, &Playhead::frameChanged, this, &TransportBar::showFrame);
    connect(&playhead, &Playhead::stateChanged, this, &TransportBar::showState);
    showState();
}

void TransportBar::buildSteps() {
    QBoxLayout* row = m_stepRow = makeRow(space::k12);
    m_stepSlider = named(new QSlider(Qt::Horizontal), QStringLiteral("Training step"),
                         QStringLiteral("The training step that every run's clips are from"));
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

void TransportBar::setStepPlayhead(Playhead& stepPlayhead) {
    m_playSteps =
        addButton(*m_stepRow, "play", "play-steps", QStringLiteral("Play through the training steps"));
    m_stepRow->removeWidget(m_playSteps);
    m_stepRow->insertWidget(1, m_playSteps);
    m_playSteps->setEnabled(m_steps.size() > 1);
    connect(m_playSteps, &QToolButton::clicked, &stepPlayhead, &Playhead::toggle);
    connect(&stepPlayhead, &Playhead::stateChanged, this, [this, &stepPlayhead] {
        m_playSteps->setIcon(
            icon(stepPlayhead.isPlaying() ? QStringLiteral("pause") : QStringLiteral("play")));
    });
}

void TransportBar::addControl(QWidget& control) {
    m_stepRow->addWidget(&control);
}

void TransportBar::setKeys(const ShortcutActions& actions) {
    m_keys = &actions;
    connect(&actions, &ShortcutActions::changed, this, &TransportBar::nameButtons);
    nameButtons();
}

void TransportBar::nameButtons() {
    for (const auto& [button, action] : m_actionOfButton)
        if (m_keys && m_keys->find(action)) button->setToolTip(m_keys->describe(action));
}

QToolButton* TransportBar::addButton(QBoxLayout& row, const char* iconName, const char* actionId,
                                     const QString& name) {
    QToolButton* button = byTab(makeIconButton(QLatin1String(iconName), name));
    row.addWidget(button);
    m_actionOfButton.emplace_back(button, QLatin1String(actionId));
    return button;
}

void TransportBar::buildTransport() {
    QBoxLayout* row = makeRow(space::k4);
    const auto button = [&](const char* iconName, const char* actionId, const char* name, auto&& onClick) {
        QToolButton* made = addButton(*row, iconName, actionId, QLatin1String(name));
        connect(made, &QToolButton::clicked, this, onClick);
        return made;
    };
    row->addWidget(makeCaption(QStringLiteral("Frame")));
    row->addSpacing(space::k8);
    m_first = button("skip-back", "first-frame", "First frame", [this] { m_playhead.seek(0); });
    button("step-back", "previous-frame", "Previous frame", [this] { m_playhead.step(-1); });
    m_play = button("play", "play", "Play or pause", [this] { m_playhead.toggle(); });
    button("step-forward", "next-frame", "Next frame", [this] { m_playhead.step(1); });
    m_last = button("skip-forward", "last-frame", "Last frame",
                    [this] { m_playhead.seek(m_playhead.length() - 1); });
    m_loop = button("loop", "loop", "Loop", [this] {
        m_playhead.setLoopMode(m_loop->isChecked() ? LoopMode::Loop : LoopMode::Once);
    });
    m_pingPong = button("ping-pong", "ping-pong", "Ping-pong", [this] {
        m_playhead.setLoopMode(m_pingPong->isChecked() ? LoopMode::PingPong : LoopMode::Once);
    });
    m_loop->setCheckable(true);
    m_pingPong->setCheckable(true);
    button("mark-in", "loop-in", "Loop from here", [this] { m_playhead.setLoopIn(m_playhead.frame()); });
    button("mark-out", "loop-out", "Loop to here", [this] { m_playhead.setLoopOut(m_playhead.frame()); });

    m_speed = byTab(new QComboBox);
    for (const double speed : kSpeeds) m_speed->addItem(QStringLiteral("%1×").arg(speed), speed);
    m_speed->setAccessibleName(QStringLiteral("Speed"));
    m_speed->setToolTip(QStringLiteral("Speed"));
    connect(m_speed, &QComboBox::activated, this,
            [this] { m_playhead.setSpeed(m_speed->currentData().toDouble()); });
    row->addSpacing(space::k8);
    row->addWidget(m_speed);

    m_frameSlider =
        named(new FrameSlider, QStringLiteral("Frame"), QStringLiteral("The frame that every tile shows"));
    connect(m_frameSlider, &QSlider::valueChanged, this, [this](int frame) {
        m_playhead.pause();
        m_playhead.seek(frame);
    });
    m_frameText = makeValue();
    row->addSpacing(space::k8);
    row->addWidget(m_frameSlider, 1);
    row->addSpacing(space::k8);
    row->addWidget(m_frameText);
    m_curveStrip = new FrameCurveStrip(m_playhead, *m_frameSlider);
    static_cast<QBoxLayout*>(layout())->addWidget(m_curveStrip);
    static_cast<QBoxLayout*>(layout())->addLayout(row);
}

void TransportBar::setSteps(const std::vector<std::int64_t>& steps, int current) {
    m_steps = steps;
    const QSignalBlocker blocker(m_stepSlider);
    m_stepSlider->setRange(0, std::max(static_cast<int>(steps.size()) - 1, 0));
    m_stepSlider->setEnabled(steps.size() > 1);
    m_stepSlider->setValue(current);
    if (m_playSteps) m_playSteps->setEnabled(steps.size() > 1);
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
    m_frameText->setToolTip(QStringLiteral("%1 s").arg(m_playhead.seconds(), 0, 'f', 2));
}

void TransportBar::showState() {
    const QSignalBlocker blocker(m_frameSlider);
    m_frameSlider->setRange(0, std::max(m_playhead.length() - 1, 0));
    m_frameSlider->setEnabled(m_playhead.length() > 1);
    const bool playing = m_playhead.isPlaying();
    m_play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
    m_loop->setChecked(m_playhead.loopMode() == LoopMode::Loop);
    m_pingPong->setChecked(m_playhead.loopMode() == LoopMode::PingPong);
    m_frameSlider->setLoop(m_playhead.loopIn(), m_playhead.loopOut());
    m_speed->setCurrentIndex(m_speed->findData(m_playhead.speed()));
    showFrame();
}

}  // namespace dailies::ui
