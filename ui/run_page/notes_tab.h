#pragma once

#include "core/base/error.h"
#include "core/tracking/run_notes.h"
#include "core/tracking/store.h"

#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <string>

class QFrame;
class QLabel;
class QPlainTextEdit;
class QTextBrowser;

namespace dailies::ui {

/// The run's notes: Markdown at the left, how it reads at the right. Kept as the tag that MLflow's own pages
/// show as the description, saved by itself a moment after typing stops and when the page is left. When
/// somebody else changed them meanwhile nothing is overwritten: a bar asks which of the two to keep.
class NotesTab : public QWidget {
    Q_OBJECT

public:
    static constexpr const char* kTag = tracking::tag::kNotes;

    explicit NotesTab(std::filesystem::path storeFile, QWidget* parent = nullptr);

    /// Shows these notes unless there is unsaved text of the same run.
    void setRun(const tracking::Run& run);
    void saveNow();
    bool isSettled() const { return !m_saving && !m_saveLater.isActive(); }
    bool hasConflict() const { return m_conflict; }
    void keepMine();
    void takeTheirs();

    QPlainTextEdit& editor() { return *m_editor; }
    QTextBrowser& preview() { return *m_preview; }

signals:
    void failed(const dailies::Error& error);

protected:
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void edited();
    void save(bool overwrite);
    void showText(const std::string& text);
    void showPreview(const QString& markdown);
    void showState();

    std::filesystem::path m_storeFile;
    std::string m_runId;
    std::string m_base;    ///< what the store held when the text was read or saved
    std::string m_theirs;  ///< what it holds now, in a conflict
    bool m_conflict = false;
    bool m_saving = false;
    bool m_saveAgain = false;
    QTimer m_saveLater;

    QPlainTextEdit* m_editor;
    QTextBrowser* m_preview;
    QLabel* m_state;
    QFrame* m_bar;
};

}  // namespace dailies::ui
