#include "ui/review/clip_comparison.h"

#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "ui/review/cheat_sheet.h"
#include "ui/theme/theme.h"
#include "ui/viewport/clip_viewport.h"
#include "ui/viewport/quality_curves.h"
#include "ui/viewport/quality_meter.h"
#include "ui/viewport/scope_view.h"
#include "ui/wall/wall_paint.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kTurn = 15;     ///< degrees by which a key turns the wipe
constexpr double kMove = 48;  ///< pixels by which a key moves the picture
constexpr int kSliderWidth = 128;
constexpr int kAmountWidth = 48;

/// Buttons take the focus by Tab only: a click must leave the keyboard with the picture.
template <typename Control>
Control* byTab(Control* control) {
    control->setFocusPolicy(Qt::TabFocus);
    return control;
}

QSize sizeOf(const std::string& file) {
    const video::ClipInfo info = video::ClipReader(file).info();
    return {info.width, info.height};
}

/// Pixel by pixel means at the file's own size, which a store does not say: small clips are enlarged in
/// theirs. That of A, or of B where A cannot be read.
QSize shownSizeOf(const std::string& a, const std::string& b) {
    if (a.empty()) return sizeOf(b);
    try {
        return sizeOf(a);
    } catch (const Error&) {
        if (b.empty()) throw;
    }
    return sizeOf(b);
}

}  // namespace

ClipComparison::ClipComparison(ClipPlayer& player, QWidget* parent)
    : QWidget(parent),
      m_player(player),
      m_viewport(new ClipViewport),
      m_scopes(new ScopeView),
      m_curves(new QualityCurves),
      m_meter(new QualityMeter(this)) {
    setAccessibleName(QStringLiteral("Comparison of two clips"));
    addKeys();
    m_scopes->setFixedWidth(m_scopes->sizeHint().width());
    QBoxLayout* column = makeColumn(0);
    setLayout(column);
    column->addWidget(makeBar());
    column->addWidget(makeLine());
    QBoxLayout* middle = makeRow(0);
    middle->addWidget(m_viewport, 1);
    middle->addWidget(m_scopes);
    column->addLayout(middle, 1);
    column->addWidget(m_curves);
    setFocusProxy(m_viewport);

    connect(&m_player, &ClipPlayer::pictureChanged, this, &ClipComparison::showFrames);
    connect(&m_player.playhead(), &Playhead::frameChanged, m_curves, &QualityCurves::setCurrent);
    connect(m_curves, &QualityCurves::frameChosen, this, [this](int frame) {
        m_player.playhead().pause();
        m_player.playhead().seek(frame);
    });
    connect(m_viewport, &ClipViewport::settingsChanged, this, &ClipComparison::showSettings);
    connect(m_viewport, &ClipViewport::probeMoved, this,
            [this] { m_probe->setText(m_viewport->probeText()); });
    connect(m_meter, &QualityMeter::changed, this, &ClipComparison::showMeasures);
    showSettings();
}

// -- what a person can do

void ClipComparison::addKeys() {
    const auto add = [this, group = tr("Two clips")](const char* id, const QString& name,
                                                     std::initializer_list<QKeyCombination> defaults,
                                                     auto run) {
        ShortcutActions::Keys keys;
        for (const QKeyCombination& key : defaults) keys << QKeySequence(key);
        m_keys.add(group, QLatin1String(id), name, keys, run);
    };
    add("wipe", tr("Wipe"), {Qt::Key_W}, [this] { setMode(ViewMode::Wipe); });
    add("flip", tr("Flip between A and B"), {Qt::Key_B}, [this] { setMode(ViewMode::Flip); });
    add("difference", tr("Difference; again: signed, absolute, luma"), {Qt::Key_Y},
        [this] { setMode(ViewMode::Difference); });
    add("overlay", tr("Overlay"), {Qt::Key_E}, [this] { setMode(ViewMode::Overlay); });
    add("onion-skin", tr("Onion skin of B's neighbouring frames"), {Qt::Key_V},
        [this] { setMode(ViewMode::OnionSkin); });
    add("more", tr("Increase wipe, gain, opacity, or frames"), {Qt::Key_PageUp},
        [this] { m_viewport->changeAmount(1); });
    add("less", tr("Decrease"), {Qt::Key_PageDown}, [this] { m_viewport->changeAmount(-1); });
    add("turn", tr("Turn the wipe"), {Qt::SHIFT | Qt::Key_PageUp}, [this] { m_viewport->turnWipe(kTurn); });
    add("turn-back", tr("Turn the wipe back"), {Qt::SHIFT | Qt::Key_PageDown},
        [this] { m_viewport->turnWipe(-kTurn); });
    add("swap", tr("Swap A and B"), {Qt::Key_S}, [this] { swap(); });
    add("larger", tr("Zoom in"), {Qt::CTRL | Qt::Key_Plus, Qt::CTRL | Qt::Key_Equal},
        [this] { m_viewport->zoomBy(ClipViewport::kZoomStep); });
    add("smaller", tr("Zoom out"), {Qt::CTRL | Qt::Key_Minus},
        [this] { m_viewport->zoomBy(1 / ClipViewport::kZoomStep); });
    add("fit", tr("Zoom to fit"), {Qt::Key_F}, [this] { m_viewport->fit(); });
    add("one-to-one", tr("Zoom 1:1"), {Qt::Key_Z}, [this] { m_viewport->showOneToOne(); });
    add("probe", tr("Values of a pixel"), {Qt::Key_Q}, [this] { m_viewport->toggleProbe(); });
    add("scopes", tr("Histogram and waveform"), {Qt::Key_M}, [this] { toggle(m_scopes, m_scopesButton); });
    add("curves", tr("Quality curves"), {Qt::Key_U}, [this] { toggle(m_curves, m_curvesButton); });
    struct Arrow {
        const char* word;
        QString name;
        Qt::Key key;
        int dx, dy;
    };
    for (const Arrow& arrow :
         {Arrow{"left", tr("left"), Qt::Key_Left, -1, 0}, Arrow{"right", tr("right"), Qt::Key_Right, 1, 0},
          Arrow{"up", tr("up"), Qt::Key_Up, 0, -1}, Arrow{"down", tr("down"), Qt::Key_Down, 0, 1}}) {
        const auto id = [&](const char* what) { return std::string(what) + '-' + arrow.word; };
        add(id("neighbour").c_str(), tr("Another clip of the wall as B: %1").arg(arrow.name),
            {Qt::SHIFT | arrow.key},
            [this, dx = arrow.dx, dy = arrow.dy] { emit neighborRequested(dx, dy); });
        add(id("move").c_str(), tr("Move the view %1").arg(arrow.name), {Qt::ALT | Qt::SHIFT | arrow.key},
            [this, to = QPointF(-arrow.dx, -arrow.dy) * kMove] { m_viewport->movePicture(to); });
        add(id("pixel").c_str(), tr("Move the pixel %1").arg(arrow.name), {Qt::CTRL | Qt::SHIFT | arrow.key},
            [this, dx = arrow.dx, dy = arrow.dy] { m_viewport->moveProbe(dx, dy); });
    }
    add("back", tr("Back to the wall"), {Qt::Key_Escape}, [this] { emit closed(); });
    add("keys", tr("These keys"), {Qt::Key_Question},
        [this] { CheatSheet(m_keys, tr("Clip comparison shortcuts"), this).exec(); });
    connect(&m_keys, &ShortcutActions::changed, this, &ClipComparison::describeButtons);
    m_keys.setFile(userConfigFolder() / "keys.json", QStringLiteral("comparison"));
}

void ClipComparison::keyPressEvent(QKeyEvent* event) {
    if (!m_keys.handle(*event)) event->ignore();  // the page's: frames, steps, playing
}

void ClipComparison::describeButtons() {
    for (const auto& [button, action] : m_described) button->setToolTip(m_keys.describe(action));
}

QPushButton* ClipComparison::makeModeButton(ViewMode mode, const QString& name, const char* action) {
    QPushButton* button = byTab(makeButton(name, ButtonKind::Ghost));
    button->setCheckable(true);
    m_described.emplace_back(button, QLatin1String(action));
    button->setAccessibleName(name);
    connect(button, &QPushButton::clicked, this, [this, mode] {
        setMode(mode);
        showSettings();  // a click on the mode of the day must not uncheck it
    });
    m_modes.push_back(button);
    return button;
}

QWidget* ClipComparison::makeBar() {
    auto* bar = new QWidget;
    QBoxLayout* row = makeRow(space::k4, {space::k12, space::k8, space::k12, space::k8});
    bar->setLayout(row);
    const auto button = [&](const char* iconName, const char* action, auto onClick) {
        QToolButton* made =
            byTab(makeIconButton(QLatin1String(iconName), m_keys.find(QLatin1String(action))->name));
        m_described.emplace_back(made, QLatin1String(action));
        connect(made, &QToolButton::clicked, this, onClick);
        row->addWidget(made);
        return made;
    };
    button("chevron-left", "back", [this] { emit closed(); });
    row->addSpacing(space::k8);
    row->addWidget(makeModeButton(ViewMode::Wipe, QStringLiteral("Wipe"), "wipe"));
    row->addWidget(makeModeButton(ViewMode::Flip, QStringLiteral("A / B"), "flip"));
    row->addWidget(makeModeButton(ViewMode::Difference, QStringLiteral("Difference"), "difference"));
    row->addWidget(makeModeButton(ViewMode::Overlay, QStringLiteral("Overlay"), "overlay"));
    row->addWidget(makeModeButton(ViewMode::OnionSkin, QStringLiteral("Onion skin"), "onion-skin"));
    row->addSpacing(space::k16);
    m_amountName = makeLabel({}, TextStyle::Body, TextTone::Muted);
    m_amount = byTab(new QSlider(Qt::Horizontal));
    m_amount->setFixedWidth(kSliderWidth);
    m_amount->setPageStep(1);
    m_amountText = makeLabel({}, TextStyle::Mono);
    m_amountText->setFixedWidth(kAmountWidth);
    connect(m_amount, &QSlider::valueChanged, this, &ClipComparison::setAmount);
    row->addWidget(m_amountName);
    row->addSpacing(space::k4);
    row->addWidget(m_amount);
    row->addSpacing(space::k4);
    row->addWidget(m_amountText);
    row->addStretch();
    m_probe = makeLabel({}, TextStyle::Mono, TextTone::Muted);
    row->addWidget(m_probe);
    row->addSpacing(space::k8);
    button("compare", "swap", [this] { swap(); });
    button("maximize", "fit", [this] { m_viewport->fit(); });
    m_scopesButton = button("sliders", "scopes", [this] { toggle(m_scopes, m_scopesButton); });
    m_curvesButton = button("chart", "curves", [this] { toggle(m_curves, m_curvesButton); });
    for (QToolButton* panel : {m_scopesButton, m_curvesButton}) {
        panel->setCheckable(true);
        panel->setChecked(true);
    }
    describeButtons();
    return bar;
}

void ClipComparison::toggle(QWidget* panel, QToolButton* button) {
    panel->setVisible(panel->isHidden());
    button->setChecked(!panel->isHidden());
    showFrames();
}

void ClipComparison::swap() {
    compare(ComparedClip(m_b), ComparedClip(m_a));
}

void ClipComparison::setPanZoom(const PanZoom& place) {
    m_viewport->setPanZoom(place);
}

void ClipComparison::setMode(ViewMode mode) {
    m_viewport->setMode(mode);
}

// -- the amount of the mode

void ClipComparison::showSettings() {
    const ViewMode mode = m_viewport->settings().mode;
    for (std::size_t i = 0; i < m_modes.size(); ++i)
        m_modes[i]->setChecked(static_cast<int>(i) == static_cast<int>(mode));
    showAmount();
    if (isVisible()) play();  // the onion skin plays more frames
}

void ClipComparison::showAmount() {
    const QSignalBlocker blocker(m_amount);
    const ViewSettings& settings = m_viewport->settings();
    const auto show = [this](const QString& name, int low, int high, int value, const QString& text) {
        m_amountName->setText(name);
        m_amount->setAccessibleName(name);
        m_amount->setToolTip(name + QStringLiteral(" (PgUp, PgDn)"));
        m_amount->setRange(low, high);
        m_amount->setValue(value);
        m_amountText->setText(text);
    };
    switch (settings.mode) {
        case ViewMode::Wipe: {
            const int share = static_cast<int>(std::lround(100 * settings.wipePosition));
            show(tr("Place"), 0, 100, share, QStringLiteral("%1 %").arg(share));
            break;
        }
        case ViewMode::Flip:
            show(tr("Shown"), 0, 1, settings.flippedToB, settings.flippedToB ? tr("B") : tr("A"));
            break;
        case ViewMode::Difference:
            show(tr("Amplified"), 0, 5, static_cast<int>(std::lround(std::log2(settings.amplification))),
                 QStringLiteral("×%1").arg(settings.amplification));
            break;
        case ViewMode::Overlay: {
            const int share = static_cast<int>(std::lround(100 * settings.opacity));
            show(tr("Opacity"), 0, 100, share, QStringLiteral("%1 %").arg(share));
            break;
        }
        case ViewMode::OnionSkin:
            show(tr("Frames"), 1, ViewSettings::kMaxNeighbours, settings.neighbours,
                 QStringLiteral("±%1").arg(settings.neighbours));
            break;
    }
}

void ClipComparison::setAmount(int value) {
    ViewSettings settings = m_viewport->settings();
    switch (settings.mode) {
        case ViewMode::Wipe:
            settings.wipePosition = value / 100.0;
            break;
        case ViewMode::Flip:
            settings.flippedToB = value > 0;
            break;
        case ViewMode::Difference:
            settings.amplification = 1 << value;
            break;
        case ViewMode::Overlay:
            settings.opacity = value / 100.0;
            break;
        case ViewMode::OnionSkin:
            settings.neighbours = value;
            break;
    }
    m_viewport->setSettings(settings);
}

// -- playing

void ClipComparison::compare(const ComparedClip& a, const ComparedClip& b) {
    if (a == m_a && b == m_b) return;
    m_a = a;
    m_b = b;
    const auto named = [](const ComparedClip& clip) {
        QString name = clip.name;
        if (!clip.note.isEmpty()) name += QStringLiteral("  ·  ") + clip.note;
        if (clip.offset != 0) name += QStringLiteral("  ·  ") + offsetText(clip.offset);
        return name;
    };
    m_viewport->setNames(named(a), named(b));
    m_viewport->setNote(!a.file.empty() || !b.file.empty() ? QString() : !b.note.isEmpty() ? b.note : a.note);
    m_curves->setColors(a.color, b.color);
    m_opened.cancel();
    m_opening = !a.file.empty() || !b.file.empty();
    if (!m_opening) {
        m_viewport->setFrames({});
        m_scopes->setPictures({}, {});
        m_meter->compare({}, {});
        showMeasures();
        return;
    }
    // What is shown stays until the new clips are there, and so does the play head's place.
    m_opened = runAsync(
        this, [a = a.file, b = b.file](const std::stop_token&) { return shownSizeOf(a, b); },
        [this](QSize size) {
            m_opening = false;
            m_size = size;
            if (isVisible()) play();
        },
        [this](const Error& error) {
            m_opening = false;
            m_size = {};
            m_viewport->setFrames({});
            m_viewport->setNote(QString::fromStdString(error.full()));
        });
}

PlayedClip ClipComparison::played(const ComparedClip& clip, int offset) const {
    return {.file = clip.file,
            .frames = clip.frames,
            .box = m_size,
            .fps = clip.fps,
            .offset = clip.offset + offset};
}

void ClipComparison::showMeasures() {
    const bool both = !m_a.file.empty() && !m_b.file.empty();
    m_curves->setProblem(both ? m_meter->problem() : tr("There is nothing to measure with one clip alone."));
    m_curves->setFrames(m_meter->frames(), m_player.playhead().length());
}

void ClipComparison::play() {
    if (m_opening || m_size.isEmpty()) return;
    std::vector<PlayedClip> clips;
    for (const ComparedClip* clip : {&m_a, &m_b})
        if (!clip->file.empty()) clips.push_back(played(*clip));
    const ViewSettings& settings = m_viewport->settings();
    if (settings.mode == ViewMode::OnionSkin && !m_b.file.empty())
        for (int offset = 1; offset <= settings.neighbours; ++offset)
            for (const int side : {-offset, offset}) clips.push_back(played(m_b, side));
    m_player.setProxiesUsed(false);
    m_player.setClips(std::move(clips), true);
    if (m_a.file.empty() || m_b.file.empty())
        m_meter->compare({}, {});
    else
        m_meter->compare({m_a.file, m_a.offset}, {m_b.file, m_b.offset});
    showMeasures();
    m_curves->setCurrent(m_player.playhead().frame());
    showFrames();
}

void ClipComparison::showFrames() {
    // All that is shown belongs to one moment: what is there already waits for the rest.
    if (!isVisible() || m_opening || m_size.isEmpty() || !m_player.isComplete()) return;
    ViewedFrames frames;
    QString note;
    const auto picture = [&](const ComparedClip& clip, int offset = 0) {
        const DecodedFrame* frame = clip.file.empty() ? nullptr : m_player.current(played(clip, offset));
        if (frame && !frame->error.isEmpty()) note = frame->error;
        return frame ? frame->image : QImage();
    };
    frames.a = picture(m_a);
    frames.b = picture(m_b);
    const ViewSettings& settings = m_viewport->settings();
    if (settings.mode == ViewMode::OnionSkin)
        for (int offset = 1; offset <= settings.neighbours; ++offset) {
            frames.before.push_back(picture(m_b, -offset));
            frames.after.push_back(picture(m_b, offset));
        }
    const auto missing = [](const QImage& image) { return image.isNull(); };
    std::erase_if(frames.before, missing);
    std::erase_if(frames.after, missing);
    if (!note.isEmpty()) m_viewport->setNote(note);
    m_scopes->setPictures(frames.a, frames.b);
    m_viewport->setFrames(std::move(frames));
}

bool ClipComparison::isSettled() const {
    return !m_opening && m_player.isComplete() && m_viewport->isSettled() && m_meter->isSettled() &&
           (m_scopes->isHidden() || m_scopes->isSettled());
}

void ClipComparison::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    play();
}

}  // namespace dailies::ui
