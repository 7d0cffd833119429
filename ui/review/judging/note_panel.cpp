#include "ui/review/judging/note_panel.h"

#include "core/base/ids.h"
#include "core/base/text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kWidth = 320;
constexpr int kNoteRole = Qt::UserRole, kFirstFrameRole = Qt::UserRole + 1, kLastFrameRole = Qt::UserRole + 2;
constexpr int kOwnRole = Qt::UserRole + 3;  ///< whether the note is one's own

QString frameText(const judging::Note& note) {
    return note.lastFrame > note.firstFrame
               ? NotePanel::tr("Frames %1–%2").arg(note.firstFrame + 1).arg(note.lastFrame + 1)
               : NotePanel::tr("Frame %1").arg(note.firstFrame + 1);
}

QString othersText(const judging::ClipReview& review, const std::string& author) {
    QStringList parts;
    for (const auto& [who, opinion] : review.opinions) {
        if (who == author) continue;
        const QString said =
            opinion.rejected ? NotePanel::tr("rejected it")
            : opinion.stars > 0
                ? opinion.stars == 1 ? NotePanel::tr("1 star") : NotePanel::tr("%1 stars").arg(opinion.stars)
                : QString();
        if (!said.isEmpty()) parts << sanitized(who) + QStringLiteral(": ") + said;
    }
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

NotePanel::NotePanel(QWidget* parent)
    : QFrame(parent),
      m_run(new ElidedLabel(TextStyle::Strong)),
      m_clip(new ElidedLabel(TextStyle::Caption, TextTone::Muted)),
      m_reject(makeIconButton(QStringLiteral("close"), tr("Reject (X)"))),
      m_others(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_tags(new QLineEdit),
      m_notes(new QListWidget),
      m_text(new QPlainTextEdit),
      m_first(new QSpinBox),
      m_last(new QSpinBox),
      m_draw(makeButton(tr("Draw"), ButtonKind::Normal, QStringLiteral("pen"))),
      m_discard(makeIconButton(QStringLiteral("trash"), tr("Discard the drawing"))),
      m_add(makeButton(tr("Add note"), ButtonKind::Primary)) {
    setObjectName(QStringLiteral("side"));
    setAccessibleName(tr("Notes on the selected clip"));
    setFixedWidth(kWidth);
    auto* column = makeColumn(space::k8, {space::k16, space::k16, space::k16, space::k16});
    setLayout(column);
    column->addWidget(m_run);
    column->addWidget(m_clip);
    column->addSpacing(space::k4);
    column->addWidget(makeVerdict());
    column->addWidget(m_others);
    m_tags->setPlaceholderText(tr("Tags, with commas between (Shift+T)"));
    m_tags->setAccessibleName(tr("Tags"));
    column->addWidget(m_tags);
    column->addSpacing(space::k8);
    column->addWidget(makeLabel(tr("Notes"), TextStyle::Strong));
    m_notes->setAccessibleName(tr("Notes"));
    m_notes->setToolTip(tr("Enter goes to the note's frame, Delete removes the note"));
    m_notes->setWordWrap(true);
    m_notes->setSpacing(2);
    m_notes->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_notes->installEventFilter(this);
    column->addWidget(m_notes, 1);
    column->addWidget(makeWriter());

    connect(m_tags, &QLineEdit::returnPressed, this, [this] {
        std::set<std::string> tags;
        for (const auto& tag : split(m_tags->text().toStdString(), ','))
            if (const auto text = trim(tag); !text.empty()) tags.emplace(text);
        emit tagsChosen(tags);
        emit left();
    });
    connect(m_notes, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        emit frameRequested(item->data(kFirstFrameRole).toInt());
    });
    connect(m_notes, &QListWidget::itemClicked, this, [this](const QListWidgetItem* item) {
        emit frameRequested(item->data(kFirstFrameRole).toInt());
    });
    setShown({});
}

QWidget* NotePanel::makeVerdict() {
    auto* row = new QWidget;
    auto* layout = makeRow(0);
    row->setLayout(layout);
    for (int stars = 1; stars <= judging::kMaxStars; ++stars) {
        QToolButton* star = makeIconButton(QStringLiteral("star"),
                                           stars == 1 ? tr("1 star (1)") : tr("%1 stars (%1)").arg(stars));
        star->setFocusPolicy(Qt::TabFocus);
        connect(star, &QToolButton::clicked, this, [this, stars] {
            emit starsChosen(m_shown.review.of(m_shown.author).stars == stars ? 0 : stars);
        });
        layout->addWidget(star);
        m_stars.push_back(star);
    }
    layout->addStretch();
    m_reject->setCheckable(true);
    m_reject->setFocusPolicy(Qt::TabFocus);
    connect(m_reject, &QToolButton::clicked, this, &NotePanel::rejectionChosen);
    layout->addWidget(m_reject);
    return row;
}

QWidget* NotePanel::makeWriter() {
    auto* writer = new QWidget;
    auto* column = makeColumn(space::k8);
    writer->setLayout(column);
    m_text->setPlaceholderText(tr("What is wrong, or right, at this frame"));
    m_text->setAccessibleName(tr("New note"));
    m_text->setTabChangesFocus(true);
    m_text->setFixedHeight(72);
    m_text->installEventFilter(this);
    column->addWidget(m_text);

    auto* frames = makeRow(space::k8);
    frames->addWidget(makeLabel(tr("Frames"), TextStyle::Body, TextTone::Muted));
    frames->addWidget(m_first, 1);
    frames->addWidget(makeLabel(tr("to"), TextStyle::Body, TextTone::Muted));
    frames->addWidget(m_last, 1);
    m_first->setAccessibleName(tr("First frame of the note"));
    m_last->setAccessibleName(tr("Last frame of the note"));
    column->addLayout(frames);
    connect(m_first, &QSpinBox::valueChanged, this, [this](int first) { m_last->setMinimum(first); });

    auto* buttons = makeRow(space::k8);
    buttons->addWidget(m_draw);
    buttons->addWidget(m_discard);
    buttons->addStretch();
    buttons->addWidget(m_add);
    m_discard->setObjectName(QStringLiteral("discardDrawing"));
    m_draw->setCheckable(true);
    m_draw->setFocusPolicy(Qt::TabFocus);  // the keyboard is the pen's
    m_draw->setToolTip(tr("Draw on the frame (D)"));
    m_add->setToolTip(tr("Add the note (Ctrl+Enter)"));
    column->addLayout(buttons);
    connect(m_draw, &QPushButton::clicked, this, &NotePanel::drawingToggled);
    connect(m_discard, &QToolButton::clicked, this, &NotePanel::drawingDiscarded);
    connect(m_add, &QPushButton::clicked, this, &NotePanel::addNote);
    return writer;
}

void NotePanel::setShown(const Shown& shown) {
    const bool another = shown.key != m_shown.key;
    if (another) keepDraft();  // while its frames are still within the spin boxes' range
    const auto frameOf = [](const Shown& of) {
        return of.drawing ? std::optional(of.drawing->frame) : std::nullopt;
    };
    const bool drawnElsewhere = another || frameOf(shown) != frameOf(m_shown);
    m_shown = shown;
    m_run->setFullText(shown.frames > 0 ? shown.run : tr("No clip is selected"));
    m_clip->setFullText(shown.clip);
    const judging::Opinion mine = shown.review.of(shown.author);
    for (std::size_t i = 0; i < m_stars.size(); ++i) {
        const bool lit = static_cast<int>(i) < mine.stars;
        m_stars[i]->setIcon(lit ? icon(QStringLiteral("star-filled"), colors().warning)
                                : icon(QStringLiteral("star")));
        m_stars[i]->setEnabled(shown.frames > 0);
    }
    m_reject->setChecked(mine.rejected);
    m_reject->setEnabled(shown.frames > 0);
    m_others->setText(othersText(shown.review, shown.author));
    m_others->setVisible(!m_others->text().isEmpty());
    if (another || !m_tags->hasFocus())
        m_tags->setText(sanitized(join({mine.tags.begin(), mine.tags.end()}, ", ")));
    m_tags->setEnabled(shown.frames > 0);
    m_first->setRange(1, std::max(shown.frames, 1));
    m_last->setMaximum(std::max(shown.frames, 1));
    m_text->setEnabled(shown.frames > 0);
    m_add->setEnabled(shown.frames > 0);
    m_draw->setEnabled(shown.frames > 0);
    showDrawing();
    if (shown.drawing && drawnElsewhere) {
        m_first->setValue(shown.drawing->frame + 1);
        m_last->setValue(shown.drawing->frame + 1);
    }
    if (another) showDraft();
    fillNotes();
    showFrame();
}

void NotePanel::keepDraft() {
    if (Draft draft = writtenDraft(); !draft.text.isEmpty()) m_drafts[m_shown.key] = std::move(draft);
}

void NotePanel::showDraft() {
    const auto kept = m_drafts.extract(m_shown.key);
    m_text->setPlainText(kept ? kept.mapped().text : QString());
    if (!kept) return;
    m_first->setValue(kept.mapped().first);
    m_last->setValue(kept.mapped().last);
}

void NotePanel::fillNotes() {
    const QSignalBlocker quiet(m_notes);
    const int row = m_notes->currentRow();
    m_notes->clear();
    for (const judging::Note& note : m_shown.review.notes) {
        QString text = frameText(note) + QStringLiteral(" · ") + sanitized(note.author) +
                       QStringLiteral(" · ") + timeText(note.timeMs);
        text += QLatin1Char('\n') + (note.text.empty() ? tr("Drawing") : sanitized(note.text));
        auto* item = new QListWidgetItem(text, m_notes);
        item->setData(kNoteRole, QString::fromStdString(note.id));
        item->setData(kFirstFrameRole, note.firstFrame);
        item->setData(kLastFrameRole, note.lastFrame);
        item->setData(kOwnRole, note.author == m_shown.author);
    }
    m_notes->setCurrentRow(std::min(row, m_notes->count() - 1));
}

void NotePanel::setFrame(int frame) {
    if (frame == m_frame) return;
    m_frame = frame;
    showFrame();
}

void NotePanel::showFrame() {
    if (!hasDraft()) {  // one under way stays where it was begun
        m_first->setValue(m_frame + 1);
        m_last->setValue(m_frame + 1);
    }
    for (int row = 0; row < m_notes->count(); ++row) {
        QListWidgetItem* item = m_notes->item(row);
        const bool covers =
            item->data(kFirstFrameRole).toInt() <= m_frame && m_frame <= item->data(kLastFrameRole).toInt();
        item->setIcon(icon(QStringLiteral("note"), covers ? colors().warning : colors().textFaint));
    }
}

void NotePanel::writeNote() {
    m_text->setFocus();
}

void NotePanel::editTags() {
    m_tags->setFocus();
    m_tags->selectAll();
}

bool NotePanel::hasDraft() const {
    return m_shown.drawing || !m_text->toPlainText().isEmpty();
}

void NotePanel::showDrawing() {
    m_draw->setChecked(m_shown.isDrawing);
    m_draw->setText(m_shown.isDrawing ? tr("Drawing")
                    : hasStrokes()    ? tr("Drawn on %1").arg(m_shown.drawing->frame + 1)
                                      : tr("Draw"));
    m_draw->setToolTip(m_shown.isDrawing ? tr("Done (Enter)")
                       : hasStrokes() ? tr("Continue drawing on frame %1 (D)").arg(m_shown.drawing->frame + 1)
                                      : tr("Draw on the frame (D)"));
    m_discard->setVisible(hasStrokes() && !m_shown.isDrawing);
}

NotePanel::Draft NotePanel::writtenDraft() const {
    return {m_text->toPlainText(), m_first->value(), m_last->value()};
}

judging::Note NotePanel::noteOf(const Draft& draft) {
    judging::Note note;
    note.id = newId();
    note.firstFrame = draft.first - 1;
    note.lastFrame = draft.last - 1;
    note.text = draft.text.toStdString();
    return note;
}

std::vector<std::pair<judging::ClipKey, judging::Note>> NotePanel::takeDrafts() {
    auto drafts = std::exchange(m_drafts, {});
    drafts[m_shown.key] = writtenDraft();
    m_text->clear();
    std::vector<std::pair<judging::ClipKey, judging::Note>> notes;
    for (const auto& [clip, draft] : drafts)
        if (judging::Note note = noteOf(draft); !trim(note.text).empty())
            notes.emplace_back(clip, std::move(note));
    return notes;
}

void NotePanel::addNote() {
    if (m_shown.isDrawing) emit drawingToggled();  // what is drawn by now belongs to it
    judging::Note note = noteOf(writtenDraft());
    if (m_shown.drawing) note.strokes = m_shown.drawing->strokes;
    if (trim(note.text).empty() && note.strokes.empty()) return m_text->setFocus();
    m_text->clear();
    emit noteWritten(m_shown.key, note);
    showFrame();
    emit left();
}

bool NotePanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (watched == m_text && enter && key->modifiers() & Qt::ControlModifier) {
        addNote();
        return true;
    }
    if (watched == m_notes && key->key() == Qt::Key_Delete && m_notes->currentItem()) {
        if (m_notes->currentItem()->data(kOwnRole).toBool())
            emit noteRemoved(m_notes->currentItem()->data(kNoteRole).toString().toStdString());
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

void NotePanel::keyPressEvent(QKeyEvent* event) {
    // Letters typed here must not become keys of the page.
    event->accept();
    if (event->key() == Qt::Key_Escape) emit left();
}

}  // namespace dailies::ui
