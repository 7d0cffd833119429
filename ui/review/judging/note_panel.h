#pragma once

#include "core/judging/clip_review.h"

#include <QFrame>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace dailies::ui {

class ElidedLabel;

/// What was drawn on a frame and goes with the next note.
struct PendingDrawing {
    int frame = 0;
    std::vector<judging::Stroke> strokes = {};
};

/// Beside the wall: what was said of the selected clip, and where to say more. Shows what it is given and
/// asks for the rest; frames are counted from 1 here, as people do.
class NotePanel : public QFrame {
    Q_OBJECT

public:
    explicit NotePanel(QWidget* parent = nullptr);

    struct Shown {
        judging::ClipKey key = {};  ///< what is written here belongs to it
        QString run, clip;          ///< "lr=0.01", "step 300 · a cat · seed 7"
        int frames = 0;             ///< 0: there is no clip to judge
        judging::ClipReview review = {};
        std::string author = {};  ///< whose opinion the buttons show
        /// Of this clip; the note that takes it is on its frame.
        std::optional<PendingDrawing> drawing = {};
        bool isDrawing = false;  ///< the pen is out
    };
    void setShown(const Shown& shown);
    /// The frame under the play head: a new note begins there, and notes that cover it are marked.
    void setFrame(int frame);

    void writeNote();  ///< takes the keyboard for a new note at the current frame
    void editTags();   ///< takes the keyboard for the tags
    bool hasStrokes() const { return m_shown.drawing && !m_shown.drawing->strokes.empty(); }
    bool hasDraft() const;
    /// What is written for any clip and not added yet, without strokes.
    std::vector<std::pair<judging::ClipKey, judging::Note>> takeDrafts();

signals:
    void starsChosen(int stars);
    void rejectionChosen(bool rejected);
    void tagsChosen(const std::set<std::string>& tags);
    void noteWritten(const dailies::judging::ClipKey& clip, const dailies::judging::Note& note);
    void noteRemoved(const std::string& noteId);
    void drawingToggled();  ///< the pen is to be taken, or put away
    void drawingDiscarded();
    void frameRequested(int frame);
    void left();  ///< Escape: the keyboard goes back to the wall

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeVerdict();
    QWidget* makeWriter();
    void fillNotes();
    void showFrame();
    /// Words that were not added: they wait for their clip while another one is shown.
    struct Draft {
        QString text;
        int first = 1, last = 1;  ///< as the spin boxes count
    };
    Draft writtenDraft() const;
    void keepDraft();
    void showDraft();
    static judging::Note noteOf(const Draft& draft);  ///< without strokes
    void addNote();
    void showDrawing();

    Shown m_shown;
    std::map<judging::ClipKey, Draft> m_drafts;  ///< of the other clips
    int m_frame = 0;
    ElidedLabel* m_run;
    ElidedLabel* m_clip;
    std::vector<QToolButton*> m_stars;
    QToolButton* m_reject;
    QLabel* m_others;
    QLineEdit* m_tags;
    QListWidget* m_notes;
    QPlainTextEdit* m_text;
    QSpinBox* m_first;
    QSpinBox* m_last;
    QPushButton* m_draw;
    QToolButton* m_discard;
    QPushButton* m_add;
};

}  // namespace dailies::ui
