#include "ui/run_page/notes_tab.h"

#include "ui/bridge/write_store.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QDesktopServices>
#include <QPlainTextEdit>
#include <QPointer>
#include <QSignalBlocker>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextCursor>
#include <QTextDocument>
#include <QUrl>

#include <optional>

namespace dailies::ui {

namespace {

constexpr int kSaveAfterMs = 800;
const QTextDocument::MarkdownFeatures kMarkdown =
    QTextDocument::MarkdownFeatures(QTextDocument::MarkdownDialectGitHub) | QTextDocument::MarkdownNoHTML;
constexpr int kMinForBoth = 720;  ///< narrower, the preview alone would leave no room to write

/// Shows text and nothing else: a note that names a picture on a server must not make the desktop fetch it.
class PlainBrowser : public QTextBrowser {
public:
    PlainBrowser() {
        setOpenLinks(false);
        connect(this, &QTextBrowser::anchorClicked, this, [](const QUrl& url) {
            if (url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http"))
                QDesktopServices::openUrl(url);
        });
    }
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

std::string notesOf(const tracking::Run& run) {
    const auto tag = run.tags.find(NotesTab::kTag);
    return tag == run.tags.end() ? std::string() : std::string(tag->second);
}

}  // namespace

NotesTab::NotesTab(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_editor(new QPlainTextEdit),
      m_preview(new PlainBrowser),
      m_state(makeLabel({}, TextStyle::Caption, TextTone::Faint)),
      m_bar(makeCard()) {
    m_editor->setPlaceholderText(
        tr("What was tried, what was seen, what to do next. Markdown: # heading, **bold**, - list, `code`."));
    m_editor->setAccessibleName(tr("Notes, Markdown"));
    m_editor->setTabChangesFocus(true);
    m_preview->setAccessibleName(tr("Notes, preview"));
    m_preview->setFrameShape(QFrame::NoFrame);
    m_preview->document()->setDocumentMargin(space::k16);

    auto* barRow = makeRow(space::k8, {space::k16, space::k8, space::k8, space::k8});
    auto* words = makeLabel(tr("These notes were changed elsewhere while you were writing."), TextStyle::Body,
                            TextTone::Warning);
    words->setWordWrap(true);
    barRow->addWidget(words, 1);
    auto* theirs = makeButton(tr("Use theirs"));
    auto* mine = makeButton(tr("Keep mine"), ButtonKind::Primary);
    connect(theirs, &QPushButton::clicked, this, &NotesTab::takeTheirs);
    connect(mine, &QPushButton::clicked, this, &NotesTab::keepMine);
    barRow->addWidget(theirs);
    barRow->addWidget(mine);
    m_bar->setLayout(barRow);
    m_bar->hide();

    auto* both = makeRow(space::k12);
    both->addWidget(m_editor, 1);
    both->addWidget(m_preview, 1);
    auto* column = makeColumn(space::k8, {space::k16, space::k12, space::k16, space::k8});
    column->addWidget(m_bar);
    column->addLayout(both, 1);
    column->addWidget(m_state);
    setLayout(column);

    m_saveLater.setSingleShot(true);
    m_saveLater.setInterval(kSaveAfterMs);
    connect(&m_saveLater, &QTimer::timeout, this, [this] { save(false); });
    connect(m_editor, &QPlainTextEdit::textChanged, this, &NotesTab::edited);
}

void NotesTab::setRun(const tracking::Run& run) {
    const std::string notes = notesOf(run);
    if (run.id != m_runId) {
        saveNow();
        m_runId = run.id;
        m_conflict = false;
        m_base = notes;
        showText(notes);
    } else if (notes != m_base && !m_saving) {
        const bool touched = m_editor->toPlainText().toStdString() != m_base;
        if (touched && notes != m_editor->toPlainText().toStdString()) {
            m_theirs = notes;
            m_conflict = true;
            m_saveLater.stop();
        } else {
            m_base = notes;
            showText(notes);
        }
    }
    showState();
}

void NotesTab::showText(const std::string& text) {
    const QString shown = QString::fromStdString(text);
    if (m_editor->toPlainText() != shown) {
        const QSignalBlocker blocker(m_editor);
        m_editor->setPlainText(shown);
    }
    showPreview(shown);
}

/// Qt gives a heading's size to its plain words only: bold ones, links and code would stand there at the
/// body's.
void NotesTab::showPreview(const QString& markdown) {
    QTextDocument& document = *m_preview->document();
    document.setMarkdown(markdown, kMarkdown);
    QTextCursor cursor(&document);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        if (level == 0) continue;
        QTextCharFormat heading;
        heading.setProperty(QTextFormat::FontSizeAdjustment, 4 - level);  // as Qt's own
        heading.setFontWeight(QFont::Bold);
        cursor.setPosition(block.position());
        cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        cursor.mergeCharFormat(heading);
    }
}

void NotesTab::edited() {
    showPreview(m_editor->toPlainText());
    if (!m_conflict) m_saveLater.start();
    showState();
}

void NotesTab::saveNow() {
    if (m_saveLater.isActive()) save(false);
}

void NotesTab::save(bool overwrite) {
    m_saveLater.stop();
    if (m_saving) {
        m_saveAgain = true;
        return;
    }
    const std::string text = m_editor->toPlainText().toStdString();
    if (m_runId.empty() || (text == m_base && !overwrite)) return showState();
    m_saving = true;
    showState();
    // The window may be closing: the write must not die with this widget, so it belongs to no one.
    writeStore(
        qApp, m_storeFile,
        [id = m_runId, base = m_base, text, overwrite](tracking::Store& store) -> std::optional<std::string> {
            const auto run = store.run(id);
            const std::string now = run ? notesOf(*run) : std::string();
            if (!overwrite && now != base && now != text) return now;
            store.setTag(id, kTag, text);
            return std::nullopt;
        },
        [guard = QPointer(this), id = m_runId, text](const std::optional<std::string>& theirs) {
            if (!guard) return;
            guard->m_saving = false;
            if (guard->m_runId == id) {
                guard->m_conflict = theirs.has_value();
                if (theirs) {
                    guard->m_theirs = *theirs;
                } else {
                    guard->m_base = text;
                }
            }
            guard->showState();
            if (std::exchange(guard->m_saveAgain, false) && !guard->m_conflict) guard->save(false);
        },
        [guard = QPointer(this)](const Error& error) {
            if (!guard) return;
            guard->m_saving = false;
            guard->m_state->setText(tr("Not saved: %1").arg(sanitized(error.full())));
            emit guard->failed(error);
        });
}

void NotesTab::keepMine() {
    m_conflict = false;
    save(true);
}

void NotesTab::takeTheirs() {
    m_conflict = false;
    m_base = m_theirs;
    showText(m_theirs);
    showState();
}

void NotesTab::showState() {
    m_bar->setVisible(m_conflict);
    m_state->setText(m_conflict                                        ? tr("Not saved")
                     : m_saving                                        ? tr("Saving…")
                     : m_editor->toPlainText().toStdString() != m_base ? tr("Edited")
                     : m_base.empty() ? tr("Kept with the run; MLflow shows them too")
                                      : tr("Saved"));
}

void NotesTab::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    saveNow();
}

void NotesTab::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_preview->setVisible(width() >= kMinForBoth);
}

}  // namespace dailies::ui
