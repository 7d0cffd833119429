#include "ui/review/arena/arena_view.h"

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/user.h"
#include "core/judging/preferences.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"
#include "ui/bridge/read_store.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"
#include "ui/wall/clip_stage.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/message_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QProgressBar>
#include <QScrollArea>
#include <QStackedWidget>

#include <algorithm>
#include <random>
#include <utility>

namespace dailies::ui {

namespace {

/// Buttons that leave the keyboard with the arena, whose keys they name.
QPushButton* keyButton(const QString& text, ButtonKind kind = ButtonKind::Normal) {
    QPushButton* button = makeButton(text, kind);
    button->setFocusPolicy(Qt::NoFocus);
    button->setAccessibleName(text);
    return button;
}

}  // namespace

ArenaView::ArenaView(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_author(userName()),
      m_writes(this, m_storeFile, [this](const Error& error) { emit failed(error); }),
      m_stack(new QStackedWidget),
      m_prompt(makeLabel({}, TextStyle::Title)),
      m_progressText(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_progress(new QProgressBar),
      m_stage(new ClipStage),
      m_verdict(makeLabel({}, TextStyle::Display)),
      m_details(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_ranking(new RankingView) {
    setAccessibleName(tr("Blind arena"));
    setFocusPolicy(Qt::StrongFocus);
    QBoxLayout* column = makeColumn(0);
    setLayout(column);
    m_stack->addWidget(makeBout());
    m_stack->addWidget(makeReveal());
    column->addWidget(m_stack);
}

QWidget* ArenaView::makeBout() {
    auto* match = new QWidget;
    QBoxLayout* column = makeColumn(space::k12, {space::k24, space::k16, space::k24, space::k16});
    match->setLayout(column);
    QBoxLayout* top = makeRow(space::k16);
    top->addWidget(m_prompt, 1);
    top->addWidget(m_progressText);
    column->addLayout(top);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(tr("Answers given, of all that may be asked for"));
    column->addWidget(m_progress);
    // Two clips are watched here by eye, to the pixel: what the program has to say stands above them.
    auto* messages = new QWidget;
    giveToMessages(*messages);
    column->addWidget(messages);
    column->addWidget(m_stage, 1);

    QBoxLayout* answers = makeRow(space::k8);
    const auto add = [&](const QString& text, auto call, ButtonKind kind = ButtonKind::Normal) {
        QPushButton* button = keyButton(text, kind);
        connect(button, &QPushButton::clicked, this, call);
        answers->addWidget(button);
        return button;
    };
    m_takeBack = add(
        tr("Undo  ⌫"), [this] { undoLast(); }, ButtonKind::Ghost);
    answers->addStretch();
    QPushButton* leftWins = add(tr("1  Left is better"), [this] { answer(judging::Outcome::Left); });
    add(tr("Space  Tie"), [this] { answer(judging::Outcome::Tie); });
    add(tr("X  Both bad"), [this] { answer(judging::Outcome::BothBad); });
    QPushButton* rightWins = add(tr("2  Right is better"), [this] { answer(judging::Outcome::Right); });
    answers->addStretch();
    QPushButton* ends = add(
        tr("Reveal  R"), [this] { reveal(); }, ButtonKind::Ghost);
    QPushButton* leave = add(
        tr("Leave  Esc"), [this] { emit left(); }, ButtonKind::Ghost);
    column->addLayout(answers);
    auto* fit = new FitToWidth(*match);
    fit->shorten(*rightWins, tr("2  Right"));
    fit->shorten(*leftWins, tr("1  Left"));
    fit->shorten(*m_takeBack, tr("⌫"));
    fit->shorten(*ends, tr("R"));
    fit->shorten(*leave, tr("Esc"));
    return match;
}

QWidget* ArenaView::makeReveal() {
    auto* reveal = new QWidget;
    QBoxLayout* column = makeColumn(space::k8, {space::k32, space::k32, space::k32, space::k24});
    reveal->setLayout(column);
    column->addWidget(m_verdict);
    m_details->setWordWrap(true);
    column->addWidget(m_details);
    column->addSpacing(space::k16);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget;
    inside->setProperty("clear", true);
    QBoxLayout* lines = makeColumn(0);
    inside->setLayout(lines);
    lines->addWidget(m_ranking);
    lines->addStretch();
    scroll->setWidget(inside);
    column->addWidget(scroll, 1);
    QBoxLayout* buttons = makeRow(space::k8);
    m_save = keyButton(tr("Save preferences…  S"), ButtonKind::Ghost);
    m_save->setToolTip(
        tr("Write the pairs of clips of which people preferred one, in all blind arenas of these "
           "runs, as JSON lines"));
    connect(m_save, &QPushButton::clicked, this, &ArenaView::askWhereToSave);
    buttons->addWidget(m_save);
    m_train = keyButton(tr("Train on these…  T"), ButtonKind::Ghost);
    m_train->setToolTip(
        tr("Open the Launch page with an adapter of the leading run that learns what people "
           "preferred (DPO)"));
    connect(m_train, &QPushButton::clicked, this, &ArenaView::train);
    buttons->addWidget(m_train);
    m_goOn = keyButton(tr("Continue  Enter"));
    QPushButton* leave = keyButton(tr("Back to the wall  Esc"), ButtonKind::Primary);
    connect(m_goOn, &QPushButton::clicked, this, &ArenaView::showNext);
    connect(leave, &QPushButton::clicked, this, &ArenaView::left);
    buttons->addStretch();
    buttons->addWidget(m_goOn);
    buttons->addWidget(leave);
    column->addLayout(buttons);
    return reveal;
}

void ArenaView::enter(const ReviewData& shown, const std::vector<std::string>& runIds, std::int64_t step) {
    m_data = shown;
    m_arena.reset();
    m_isEntering = true;
    m_stage->setClips({});
    m_stack->setCurrentIndex(0);
    m_prompt->setText({});
    m_progressText->setText({});
    judging::ArenaRecord fresh;
    fresh.id = newId();
    fresh.title = shown.title();
    fresh.seed = std::random_device()();
    fresh.author = m_author;
    fresh.createdMs = unixMillis();
    writeStore(
        this, m_storeFile,
        [fresh, runIds, step](tracking::Store& store) mutable {
            std::vector<tracking::Run> runs;
            for (const std::string& id : runIds)
                if (auto run = store.run(id)) runs.push_back(std::move(*run));
            fresh.roster = judging::rosterAt(runs, store.clips(runIds), step);
            for (const auto& known : judging::arenasOf(store, runIds))
                if (known.roster == fresh.roster && known.author == fresh.author)
                    return Entered{known, judging::choicesOf(store, known.id)};
            judging::addArena(store, fresh);
            return Entered{fresh, {}};
        },
        [this](Entered entered) { begin(std::move(entered)); },
        [this](const Error& error) {
            m_isEntering = false;
            emit failed(error);
            emit left();
        });
}

void ArenaView::begin(Entered entered) {
    m_isEntering = false;
    m_arenaId = entered.record.id;
    m_clips.clear();
    for (const tracking::Run& run : m_data.runs)
        for (const tracking::ClipRecord* clip : m_data.clipsOf(run.id))
            m_clips[judging::keyOf(*clip)] = *clip;
    m_ids.clear();
    for (const auto& choice : entered.choices) m_ids.push_back(std::make_shared<std::int64_t>(choice.id));
    m_arena.emplace(entered.record.roster, entered.record.seed, std::move(entered.choices));
    showNext();
    setFocus();
}

void ArenaView::answer(judging::Outcome outcome) {
    if (!m_arena || !m_arena->next() || isRevealed()) return;
    const judging::Choice choice{*m_arena->next(), outcome, m_author, unixMillis(), 0};
    auto id = std::make_shared<std::int64_t>(0);
    m_ids.push_back(id);
    m_writes.add([id, choice, arenaId = m_arenaId](tracking::Store& store) {
        *id = judging::addChoice(store, arenaId, choice);
    });
    m_arena->answer(choice);
    showNext();
}

void ArenaView::undoLast() {
    if (!m_arena || !m_arena->undoLast()) return;
    // the id is there by then: the writer works in order
    m_writes.add([id = m_ids.back(), arenaId = m_arenaId](tracking::Store& store) {
        judging::removeChoice(store, arenaId, *id);
    });
    m_ids.pop_back();
    showNext();
}

QString ArenaView::standing() const {
    const int answers = static_cast<int>(m_arena->choices().size());
    QStringList parts{answers == 1 ? tr("1 answer") : tr("%1 answers").arg(answers)};
    if (const int left = m_arena->matchesLeft(); left > 0) parts << tr("at most %1 left").arg(left);
    parts << tr("%1 of %2 may still be the best")
                 .arg(m_arena->contenders().size())
                 .arg(m_arena->roster().contestants.size());
    return parts.join(QStringLiteral(" · "));
}

void ArenaView::showNext() {
    if (!m_arena) return;
    m_takeBack->setEnabled(!m_arena->choices().empty());
    if (!m_arena->next()) return reveal();
    m_stack->setCurrentIndex(0);
    const judging::Match& match = *m_arena->next();
    std::vector<ClipStage::Clip> clips;
    for (const int contestant : {match.left, match.right}) {
        const auto found = m_clips.find(m_arena->clip(contestant, match.subject));
        ClipStage::Clip clip{{}, 1, 8, clips.empty() ? QStringLiteral("1") : QStringLiteral("2")};
        if (found != m_clips.end()) {
            clip.file = found->second.localPath;
            clip.frames = std::max(found->second.frames, 1);
            clip.fps = found->second.fps;
        }
        clips.push_back(std::move(clip));
    }
    m_stage->setClips(std::move(clips));
    m_stage->playhead().play();
    m_prompt->setText(sanitized(m_arena->roster().subjects[static_cast<std::size_t>(match.subject)].prompt));
    m_progressText->setText(standing());
    const int answers = static_cast<int>(m_arena->choices().size());
    m_progress->setRange(0, answers + m_arena->matchesLeft());
    m_progress->setValue(answers);
}

bool ArenaView::isRevealed() const {
    return m_stack->currentIndex() == 1;
}

bool ArenaView::isSettled() {
    return !m_isEntering && m_writes.isDone() && (isRevealed() || m_stage->isComplete());
}

void ArenaView::reveal() {
    if (!m_arena) return;
    m_stage->playhead().pause();
    const judging::Strengths& strengths = m_arena->strengths();
    std::vector<RankingView::Line> lines;
    for (const int contestant : strengths.ranking()) {
        RankingView::Line line;
        const std::string& runId = m_arena->roster().contestants[static_cast<std::size_t>(contestant)].runId;
        const auto run = std::ranges::find(m_data.runs, runId, &tracking::Run::id);
        if (run != m_data.runs.end()) {
            line.name = sanitized(m_data.nameOf(*run));
            line.details = sanitized(m_data.differingParams(*run));
            if (line.details == line.name) line.details.clear();  // runs are mostly named after what differs
        }
        line.color = runColor(runId);
        line.strength = strengths.strength[static_cast<std::size_t>(contestant)];
        const judging::Interval interval = strengths.interval(contestant);
        line.low = interval.low;
        line.high = interval.high;
        line.isContender = std::ranges::count(m_arena->contenders(), contestant) > 0;
        for (const judging::Choice& choice : m_arena->choices()) {
            if (choice.match.left != contestant && choice.match.right != contestant) continue;
            const bool left = choice.match.left == contestant;
            if (choice.outcome == judging::Outcome::Tie || choice.outcome == judging::Outcome::BothBad)
                ++line.ties;
            else if ((choice.outcome == judging::Outcome::Left) == left)
                ++line.wins;
            else
                ++line.losses;
        }
        lines.push_back(std::move(line));
    }
    const QString best = lines.front().name;
    m_verdict->setText(m_arena->choices().empty() ? tr("No estimate yet")
                       : m_arena->isDecided()     ? tr("%1 is the best").arg(best)
                       : !m_arena->next()         ? tr("No clear winner")
                                                  : tr("%1 leads").arg(best));
    QString details = standing() + QLatin1Char('.');
    if (m_arena->isDecided())
        details += tr(" It beats every other run at 95% confidence.");
    else if (!m_arena->next())
        details += tr(" Every pair of clips has been compared: sample more prompts or seeds to learn more.");
    details += tr(" Ratings are log-odds against the mean; lines are 95 % intervals.");
    m_details->setText(details);
    m_ranking->setLines(std::move(lines));
    m_goOn->setVisible(m_arena->next().has_value());
    m_save->setEnabled(!m_arena->choices().empty());
    m_train->setEnabled(!m_arena->choices().empty());
    m_stack->setCurrentIndex(1);
    setFocus();
}

void ArenaView::askWhereToSave() {
    chooseNewFile(
        *this, tr("Save preferences"), tr("JSON lines (*.jsonl)"),
        [this](const QString& file) { savePreferences(file); }, QStringLiteral("preferences.jsonl"),
        QStringLiteral("jsonl"));
}

std::vector<std::string> ArenaView::comparedRuns() const {
    std::vector<std::string> runIds;
    for (const judging::Contestant& contestant : m_arena->roster().contestants)
        runIds.push_back(contestant.runId);
    return runIds;
}

/// A resample is no run that trains: its clips are of the run that it samples.
void ArenaView::train() {
    const auto first = static_cast<std::size_t>(m_arena->strengths().ranking().front());
    const judging::Contestant& leading = m_arena->roster().contestants[first];
    const tracking::Run* run = m_data.run(leading.runId);
    const auto source = run ? tracking::tagOf(*run, tracking::tag::kSampledRun) : std::string();
    emit trainRequested(source.empty() ? leading.runId : source, leading.step, comparedRuns());
}

void ArenaView::savePreferences(const QString& file) {
    m_saving = readStore(
        this, m_storeFile,
        [runIds = comparedRuns(), path = std::filesystem::path(file.toStdString())](
            const tracking::Store& store, std::stop_token) {
            return judging::writePreferences(store, runIds, path);
        },
        [this, file](const judging::WrittenPreferences& written) {
            emit notification(QString::fromStdString(judging::preferencesText(written)));
            emit saved(file);
        },
        [this](const Error& error) { emit failed(error); });
}

void ArenaView::keyPressEvent(QKeyEvent* event) {
    Playhead& playhead = m_stage->playhead();
    switch (event->key()) {
        case Qt::Key_1:
        case Qt::Key_Left:
            return answer(judging::Outcome::Left);
        case Qt::Key_2:
        case Qt::Key_Right:
            return answer(judging::Outcome::Right);
        case Qt::Key_Space:
            return answer(judging::Outcome::Tie);
        case Qt::Key_X:
            return answer(judging::Outcome::BothBad);
        case Qt::Key_Backspace:
            return undoLast();
        case Qt::Key_K:
            return playhead.toggle();
        case Qt::Key_Comma:
            return playhead.step(-1);
        case Qt::Key_Period:
            return playhead.step(1);
        case Qt::Key_R:
            return reveal();
        case Qt::Key_S:
            return isRevealed() && m_save->isEnabled() ? askWhereToSave() : event->accept();
        case Qt::Key_T:
            return isRevealed() && m_train->isEnabled() ? train() : event->accept();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return isRevealed() && m_goOn->isVisible() ? showNext() : event->accept();
        case Qt::Key_Escape:
            emit left();
            return;
        default:
            event->accept();  // keys of the wall mean nothing here
    }
}

}  // namespace dailies::ui
