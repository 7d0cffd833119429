#include "ui/review/morning/morning_view.h"

#include "ui/bridge/read_store.h"
#include "ui/review/morning/playlist_delegate.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/wall/clip_stage.h"
#include "ui/wall/review_model.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QSignalBlocker>

#include <algorithm>
#include <map>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kListWidth = 340;
constexpr int kClipShare = 3, kListShare = 2;  ///< of the width, where it is too narrow for the list's
constexpr qint64 kBetweenReadingsMs = 10'000;
constexpr int kWaitMs = 300;  ///< the wall's own pictures first: both would be later if read at once

QIcon reasonIcon(judging::Reason reason) {
    switch (reason) {
        case judging::Reason::FailedCheck:
            return icon(QStringLiteral("error"), colors().danger);
        case judging::Reason::Regression:
            return icon(QStringLiteral("warning"), colors().warning);
        case judging::Reason::New:
            return icon(QStringLiteral("dot"), colors().accent);
    }
    return {};
}

QString reasonText(const judging::MorningClip& entry) {
    return entry.why.empty() ? MorningView::tr("Not seen yet") : sanitized(entry.why);
}

QString placeText(const judging::MorningClip& entry) {
    return MorningView::tr("Step %1 · %2 · seed %3")
        .arg(entry.clip.step)
        .arg(sanitized(entry.clip.prompt))
        .arg(entry.clip.seed);
}

ClipStage::Clip staged(const tracking::ClipRecord& clip, const QString& caption) {
    return {clip.localPath, std::max(clip.frames, 1), clip.fps, caption};
}

}  // namespace

MorningView::MorningView(std::filesystem::path storeFile, ReviewModel& reviewModel, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_reviewModel(reviewModel),
      m_stage(new ClipStage),
      m_icon(new QLabel),
      m_title(new ElidedLabel(TextStyle::Title)),
      m_why(new ElidedLabel(TextStyle::Body, TextTone::Muted)),
      m_rating(makeLabel({}, TextStyle::Title)),
      m_count(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_list(new QListWidget),
      m_empty(new EmptyState(QStringLiteral("done"), tr("You're all caught up"),
                             tr("Clips that arrive from now on wait here, the ones that need you first."))) {
    setAccessibleName(tr("Morning dailies"));
    setFocusPolicy(Qt::StrongFocus);
    QBoxLayout* row = makeRow(0);
    setLayout(row);
    m_clip = makeClip();
    // The list gives way before the clip does: its lines wrap.
    row->addWidget(m_clip, kClipShare);
    row->addWidget(m_empty, kClipShare);
    row->addWidget(makeLine(Qt::Vertical));
    row->addWidget(makeList(), kListShare);
    connect(m_empty->addAction(tr("Back to the wall"), ButtonKind::Primary), &QPushButton::clicked, this,
            &MorningView::left);
    connect(&m_reviewModel, &ReviewModel::changed, this, [this] {
        if (isVisible()) return showReview();
        const std::size_t before = m_morning.playlist.size();
        dropSeen();
        if (m_morning.playlist.size() != before) fillList();
    });
    onThemeChange(this, [this] { fillList(); });
    m_wait.setSingleShot(true);
    m_wait.setInterval(kWaitMs);
    connect(&m_wait, &QTimer::timeout, this, &MorningView::read);
    fillList();
}

QWidget* MorningView::makeClip() {
    auto* side = new QWidget;
    QBoxLayout* column = makeColumn(space::k8, {space::k24, space::k16, space::k24, space::k16});
    side->setLayout(column);
    QBoxLayout* top = makeRow(space::k12);
    m_icon->setFixedSize(20, 20);
    top->addWidget(m_icon);
    QBoxLayout* words = makeColumn(0);
    words->addWidget(m_title);
    words->addWidget(m_why);
    top->addLayout(words, 1);
    top->addWidget(m_rating);
    column->addLayout(top);
    column->addWidget(m_stage, 1);
    QBoxLayout* buttons = makeRow(space::k8);
    auto* fit = new FitToWidth(*side);
    const auto add = [&](const QString& text, const QString& shorter, ButtonKind kind, auto call) {
        QPushButton* button = makeButton(text, kind);
        button->setFocusPolicy(Qt::NoFocus);
        button->setAccessibleName(text);
        connect(button, &QPushButton::clicked, this, call);
        buttons->addWidget(button);
        fit->shorten(*button, shorter);
    };
    add(tr("Leave  Esc"), tr("Esc"), ButtonKind::Ghost, [this] {
        markSeen(current());
        emit left();
    });
    buttons->addStretch();
    add(tr("Previous  ↑"), tr("↑"), ButtonKind::Normal, [this] { move(-1); });
    add(tr("On the wall  W"), tr("Wall  W"), ButtonKind::Normal, [this] { showOnWall(); });
    add(tr("Seen, next  ↓"), tr("Next  ↓"), ButtonKind::Primary, [this] { move(1); });
    column->addLayout(buttons);
    return side;
}

QWidget* MorningView::makeList() {
    auto* side = new QFrame;
    side->setObjectName(QStringLiteral("side"));
    side->setMaximumWidth(kListWidth);
    QBoxLayout* column = makeColumn(space::k4, {space::k16, space::k16, space::k8, space::k16});
    side->setLayout(column);
    column->addWidget(makeLabel(tr("Morning dailies"), TextStyle::Title));
    column->addWidget(m_count);
    column->addSpacing(space::k8);
    m_list->setAccessibleName(tr("Playlist"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setItemDelegate(new PlaylistDelegate(m_list));
    m_list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // or the words wrap anew when it comes
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(m_list, 1);
    auto* all = makeButton(tr("Mark all as seen  Shift+A"), ButtonKind::Ghost);
    all->setFocusPolicy(Qt::NoFocus);
    all->setAccessibleName(tr("Mark all as seen"));
    connect(all, &QPushButton::clicked, this, &MorningView::markAllSeen);
    column->addWidget(all);
    connect(m_list, &QListWidget::itemClicked, this, [this] { showEntry(); });
    return side;
}

// -- reading

void MorningView::refresh(bool now) {
    if (now) return read();
    const bool isFresh = m_sinceRead.isValid() && m_sinceRead.elapsed() < kBetweenReadingsMs;
    if (!m_isReading && !isFresh && !m_wait.isActive()) m_wait.start();
}

void MorningView::read() {
    m_wait.stop();
    if (m_isReading) return;
    m_isReading = true;
    m_reading = readStore(
        this, m_storeFile,
        [author = m_reviewModel.author()](const tracking::Store& store, const std::stop_token& stop) {
            return judging::buildMorningPlaylist(store, author, stop);
        },
        [this](judging::MorningPlaylist morning) {
            m_isReading = false;
            m_sinceRead.start();
            take(std::move(morning));
        },
        [this](const Error& error) {
            m_isReading = false;
            m_sinceRead.start();
            emit failed(error);
        });
}

void MorningView::take(judging::MorningPlaylist morning) {
    // someone is going through it: what is new waits for the next time
    if (isVisible() && !m_morning.playlist.empty()) return;
    m_morning = std::move(morning);
    dropSeen();
    fillList();
    if (isVisible()) showEntry();
}

/// What was seen on the wall meanwhile, though the mark may still be being written.
void MorningView::dropSeen() {
    std::erase_if(m_morning.playlist,
                  [this](const auto& listed) { return m_reviewModel.isSeen(judging::keyOf(listed.clip)); });
}

void MorningView::fillList() {
    m_listIsStale = true;
    if (isVisible()) refreshRows();
    const int clips = static_cast<int>(m_morning.playlist.size());
    m_count->setText(clips == 1 ? tr("1 clip not seen yet") : tr("%1 clips not seen yet").arg(clips));
    m_clip->setVisible(clips > 0);
    m_empty->setVisible(clips == 0);
    emit countChanged(clips);
}

/// Of a long playlist only the count is seen before someone comes to go through it.
void MorningView::refreshRows() {
    if (!std::exchange(m_listIsStale, false)) return;
    const QSignalBlocker quiet(m_list);
    const int row = std::max(m_list->currentRow(), 0);
    m_list->clear();
    std::map<std::string, int> clipsOfRun;
    for (const auto& entry : m_morning.playlist) ++clipsOfRun[entry.run.id];
    const judging::MorningClip* before = nullptr;
    for (const auto& entry : m_morning.playlist) {
        const QString run = sanitized(entry.run.name), prompt = sanitized(entry.clip.prompt);
        auto* item = new QListWidgetItem(reasonIcon(entry.reason),
                                         prompt + QLatin1Char('\n') + reasonText(entry), m_list);
        item->setData(Qt::AccessibleTextRole,
                      QStringList{run, prompt, reasonText(entry)}.join(QStringLiteral(", ")));
        if (!before || before->run.id != entry.run.id) {
            const int clips = clipsOfRun[entry.run.id];
            item->setData(PlaylistDelegate::kRunRole, run);
            item->setData(PlaylistDelegate::kCountRole,
                          clips == 1 ? tr("1 clip") : tr("%1 clips").arg(clips));
        }
        before = &entry;
    }
    m_list->setCurrentRow(std::min(row, m_list->count() - 1));
}

bool MorningView::isSettled() {
    return !m_isReading && !m_wait.isActive() && !m_reviewModel.isWriting() &&
           (m_morning.playlist.empty() || m_stage->isComplete());
}

// -- going through it

void MorningView::enter() {
    if (m_wait.isActive()) read();
    refreshRows();
    m_list->setCurrentRow(m_list->count() > 0 ? 0 : -1);
    showEntry();
    setFocus();
}

int MorningView::current() const {
    return m_list->currentRow();
}

const judging::MorningClip* MorningView::entry(int row) const {
    const bool there = row >= 0 && row < static_cast<int>(m_morning.playlist.size());
    return there ? &m_morning.playlist[static_cast<std::size_t>(row)] : nullptr;
}

void MorningView::showEntry() {
    const judging::MorningClip* shown = entry(current());
    if (!shown) return m_stage->setClips({});
    m_icon->setPixmap(reasonIcon(shown->reason).pixmap(20, 20));
    m_title->setFullText(sanitized(shown->run.name) + QStringLiteral(" · ") + placeText(*shown));
    m_why->setFullText(reasonText(*shown));
    std::vector<ClipStage::Clip> clips;
    if (shown->before)
        clips.push_back(staged(*shown->before, tr("Before: step %1").arg(shown->before->step)));
    clips.push_back(staged(shown->clip, tr("Now: step %1").arg(shown->clip.step)));
    m_stage->setClips(std::move(clips), shown->frame);
    // at a frame that a check points to, the frame itself is what to look at
    if (shown->reason != judging::Reason::FailedCheck) m_stage->playhead().play();
    showReview();
}

void MorningView::showReview() {
    const judging::MorningClip* shown = entry(current());
    if (!shown) return;
    const judging::Opinion opinion = m_reviewModel.opinion(judging::keyOf(shown->clip));
    m_rating->setText(
        opinion.rejected
            ? tr("Rejected")
            : QString(opinion.stars, QChar(0x2605)) +
                  QString(opinion.stars > 0 ? judging::kMaxStars - opinion.stars : 0, QChar(0x2606)));
}

void MorningView::markSeen(int row) {
    if (const judging::MorningClip* seen = entry(row)) m_reviewModel.setSeen({judging::keyOf(seen->clip)});
}

void MorningView::move(int by) {
    markSeen(current());
    const int target = current() + by;
    if (target < 0) return;
    if (target >= m_list->count()) {
        m_morning.playlist.clear();
        m_list->setCurrentRow(-1);
        fillList();
        m_stage->setClips({});
        return;
    }
    m_list->setCurrentRow(target);
    showEntry();
}

void MorningView::markAllSeen() {
    std::vector<judging::ClipKey> clips;
    for (const auto& listed : m_morning.playlist) clips.push_back(judging::keyOf(listed.clip));
    m_reviewModel.setSeen(clips);
    m_morning.playlist.clear();
    fillList();
    m_stage->setClips({});
}

void MorningView::showOnWall() {
    const judging::MorningClip* shown = entry(current());
    if (!shown) return;
    markSeen(current());
    emit wallRequested(shown->run.id, shown->clip.step);
}

void MorningView::rate(int stars) {
    if (const judging::MorningClip* shown = entry(current()))
        m_reviewModel.rate(judging::keyOf(shown->clip), stars);
}

void MorningView::keyPressEvent(QKeyEvent* event) {
    Playhead& playhead = m_stage->playhead();
    const bool control = event->modifiers() & Qt::ControlModifier;
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
        case Qt::Key_Down:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return move(1);
        case Qt::Key_Up:
            return move(-1);
        case Qt::Key_Left:
            return playhead.step(-1);
        case Qt::Key_Right:
            return playhead.step(1);
        case Qt::Key_Space:
            return playhead.toggle();
        case Qt::Key_J:
            return playhead.shuttle(-1);
        case Qt::Key_K:
            return playhead.pause();
        case Qt::Key_L:
            return playhead.shuttle(1);
        case Qt::Key_W:
            return showOnWall();
        case Qt::Key_A:
            return shift ? markAllSeen() : event->accept();
        case Qt::Key_X:
            if (const judging::MorningClip* shown = entry(current()))
                m_reviewModel.toggleReject(judging::keyOf(shown->clip));
            return;
        case Qt::Key_Z:
            if (control) shift ? m_reviewModel.redo() : m_reviewModel.undo();
            return;
        case Qt::Key_Escape:
            markSeen(current());
            emit left();
            return;
        default:
            if (event->key() >= Qt::Key_0 && event->key() <= Qt::Key_5) rate(event->key() - Qt::Key_0);
            event->accept();
    }
}

}  // namespace dailies::ui
