// The bars above and below the Review page's wall, and the menu of what is not needed every minute.
#include "ui/playback/frame_service.h"
#include "ui/playback/transport_bar.h"
#include "ui/review/arrangement_picker.h"
#include "ui/review/judging/review_controller.h"
#include "ui/review/review_page.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>

#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kWidestSweep = 240;
constexpr int kNarrowestChoice = 88;  ///< a word, and the arrow
constexpr int kTileSizeWidth = 128;
constexpr int kTileSizes = 100;  ///< places of the slider, whose sizes grow by the same factor

}  // namespace

void ReviewPage::buildHeader() {
    QBoxLayout* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    m_header->setLayout(row);
    m_sweeps = new QComboBox;
    m_sweeps->setAccessibleName(QStringLiteral("Sweep"));
    m_sweeps->setFocusPolicy(Qt::TabFocus);
    m_sweeps->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_sweeps->setMaximumWidth(kWidestSweep);
    m_arrangement = new ArrangementPicker;
    auto* title = makeLabel(QStringLiteral("Review"), TextStyle::Display);
    row->addWidget(title);
    row->addSpacing(space::k16);
    row->addWidget(m_sweeps);
    row->addWidget(m_arrangement);
    row->addWidget(&m_reviewController->filterBox());
    row->addStretch();
    m_morningEntry = makeButton(tr("Morning dailies"), ButtonKind::Normal, QStringLiteral("sun"));
    m_morningEntry->setFocusPolicy(Qt::TabFocus);
    connect(m_morningEntry, &QPushButton::clicked, this, &ReviewPage::enterMorning);
    excludeFromPalette(*m_morningEntry);
    row->addWidget(m_morningEntry);
    const auto addTool = [&](const char* iconName, const QString& name, auto call) {
        QToolButton* button = makeIconButton(QLatin1String(iconName), name);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QToolButton::clicked, this, call);
        row->addWidget(button);
        excludeFromPalette(*button);
        return button;
    };
    m_arenaEntry = addTool("arena", tr("Blind arena"), [this] { enterArena(); });
    m_notesEntry = addTool("note", tr("Notes"), [this] { m_reviewController->togglePanel(); });
    m_more = addTool("more", tr("More actions"), [this] { showMore(); });

    auto* fit = new FitToWidth(*m_header);
    fit->iconsOnly({m_arrangement});
    fit->addStep([this](bool tight) {
        m_isMorningShort = tight;
        nameMorningEntry();
    });
    fit->narrow(m_reviewController->filterBox(), kNarrowestChoice);
    fit->narrow(*m_sweeps, kNarrowestChoice);
    fit->hide(*title);

    connect(m_sweeps, &QComboBox::activated, this, [this] {
        if (!m_sweeps->currentData().isValid()) return;  // the runs that are on the wall
        m_request = {m_request.storeFile, {}, m_sweeps->currentData().toString().toStdString()};
        m_followNewest = true;
        readChosen();
    });
    connect(m_arrangement, &ArrangementPicker::changed, this, &ReviewPage::refreshScene);
}

/// How many clips nobody has seen is said also where there is no room for words.
void ReviewPage::nameMorningEntry() {
    const QString count = m_unseenClips > 0 ? QString::number(m_unseenClips) : QString();
    m_morningEntry->setText(m_isMorningShort  ? count
                            : count.isEmpty() ? tr("Morning dailies")
                                              : tr("Morning dailies  %1").arg(count));
}

/// At the lower right, where Lightroom and file managers have theirs.
void ReviewPage::buildTileSize() {
    m_tileSize = new QSlider(Qt::Horizontal, m_transport);
    m_tileSize->setAccessibleName(tr("Tile size"));
    m_tileSize->setFocusPolicy(Qt::TabFocus);
    m_tileSize->setFixedWidth(kTileSizeWidth);
    m_tileSize->setRange(0, kTileSizes);
    m_fitTiles = makeIconButton(QStringLiteral("grid"), tr("Fit tiles to the window"));
    m_fitTiles->setFocusPolicy(Qt::TabFocus);
    connect(m_fitTiles, &QToolButton::clicked, this, [this] { m_wall->setTileWidth(0); });
    m_transport->addControl(*m_fitTiles);
    m_transport->addControl(*m_tileSize);
    const auto growth = [this] {
        return std::log(static_cast<double>(m_wall->largestTileWidth()) / WallLayout::kSmallestTile);
    };
    connect(m_tileSize, &QSlider::valueChanged, this, [this, growth](int place) {
        m_wall->setTileWidth(WallLayout::kSmallestTile * std::exp(growth() * place / kTileSizes));
    });
    connect(m_wall, &WallView::tileWidthChosen, this,
            [this] { emit tileWidthChosen(static_cast<int>(std::lround(m_wall->chosenTileWidth()))); });
    connect(m_wall, &WallView::layoutChanged, this, [this, growth] {
        for (QWidget* control : {static_cast<QWidget*>(m_tileSize), static_cast<QWidget*>(m_fitTiles)})
            control->setEnabled(!m_wall->isZoomed() && m_wall->tileWidth() > 0);
        if (m_wall->isZoomed() || m_tileSize->isSliderDown() || m_wall->tileWidth() == 0) return;
        const QSignalBlocker blocker(m_tileSize);
        const double share =
            std::log(static_cast<double>(m_wall->tileWidth()) / WallLayout::kSmallestTile) / growth();
        m_tileSize->setValue(static_cast<int>(std::lround(share * kTileSizes)));
    });
}

void ReviewPage::restoreTileWidth(int width) {
    m_wall->restoreTileWidth(width);
}

/// What is not needed every minute; the keys are those of the day.
void ReviewPage::showMore() {
    auto* menu = new QMenu(this);
    const auto add = [&](const char* id, const char* iconName) {
        menu->addAction(makeMenuEntry(*menu, id, iconName));
    };
    add("open-folder", "folder");
    menu->addSeparator();
    add("act", "branch");
    add("sample", "plus");
    add("score", "star");
    menu->addSeparator();
    add("inputs", "image");
    menu->addSeparator();
    add("save", "save");
    add("mlflow-sheets", "image");
    menu->addSeparator();
    addCacheChoices(*menu->addMenu(tr("Frame cache size")));
    add("keys", "keyboard");
    popUpBelowMore(*menu);
}

QAction* ReviewPage::makeMenuEntry(QMenu& menu, const char* id, const char* iconName) {
    const ShortcutActions::Action* found = m_keys.find(QLatin1String(id));
    auto* action = new QAction(found->name + QLatin1Char('\t') + ShortcutActions::text(found->keys), &menu);
    if (iconName) action->setIcon(icon(QLatin1String(iconName)));
    action->setEnabled(disabledReasonFor(*found).isEmpty());
    connect(action, &QAction::triggered, this, found->run);
    return action;
}

void ReviewPage::popUpBelowMore(QMenu& menu) {
    menu.setAttribute(Qt::WA_DeleteOnClose);
    // Its right edge at the button's: at the left one's it would leave the window.
    menu.popup(
        m_more->mapToGlobal(QPoint(m_more->width() - menu.sizeHint().width(), m_more->height() + space::k4)));
}

void ReviewPage::addCacheChoices(QMenu& choices) {
    const auto service = FrameService::shared();
    for (const std::int64_t mebibytes : {0, 256, 512, 1024, 2048, 4096, 8192}) {
        QAction* choice = choices.addAction(mebibytes == 0     ? tr("By this machine's memory")
                                            : mebibytes < 1024 ? tr("%1 MiB").arg(mebibytes)
                                                               : tr("%1 GiB").arg(mebibytes / 1024),
                                            this, [this, service, mebibytes] {
                                                service->setLimitMiB(mebibytes);
                                                emit frameCacheChosen(mebibytes);
                                            });
        choice->setCheckable(true);
        choice->setChecked(service->limitMiB() == mebibytes);
    }
}

void ReviewPage::describeTools() {
    m_morningEntry->setToolTip(m_keys.describe(QStringLiteral("morning")));
    m_arenaEntry->setToolTip(m_keys.describe(QStringLiteral("arena")));
    m_notesEntry->setToolTip(m_keys.describe(QStringLiteral("notes")));
    m_tileSize->setToolTip(tr("Tile size (Ctrl+wheel)"));
    m_fitTiles->setToolTip(m_keys.describe(QStringLiteral("fit-tiles")));
}

}  // namespace dailies::ui
