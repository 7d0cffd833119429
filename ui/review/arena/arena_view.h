#pragma once

#include "core/base/error.h"
#include "core/judging/arena_records.h"
#include "ui/bridge/pending_writes.h"
#include "ui/bridge/run_async.h"
#include "ui/review/arena/ranking_view.h"
#include "ui/wall/review_data.h"

#include <QWidget>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace dailies::ui {

class ClipStage;

/// The blind arena: two clips of one prompt, frame-locked and looping, without a name. Which is better? By
/// keys alone: 1 or Left, 2 or Right, Space for a tie, X for both bad, Backspace takes the last answer back,
/// K stops and plays, comma and period step frames, R reveals, Escape leaves. Each answer is stored at once;
/// entering again with the same runs at the same steps goes on where one left. When the best is apart from
/// all others, or every pair was asked about, the names and the ranking are revealed; S saves which clips
/// people preferred, in all arenas of these runs, and T trains the leading run on it. GUI thread only.
class ArenaView : public QWidget {
    Q_OBJECT

public:
    explicit ArenaView(std::filesystem::path storeFile, QWidget* parent = nullptr);

    /// Begins with the clips that these runs of `shown` had at `step`, or goes on with the arena that has
    /// them.
    void enter(const ReviewData& shown, const std::vector<std::string>& runIds, std::int64_t step);

    const std::optional<judging::Arena>& arena() const { return m_arena; }
    ClipStage& stage() { return *m_stage; }
    const RankingView& ranking() const { return *m_ranking; }
    bool isRevealed() const;
    bool isSettled();

signals:
    void left();
    void failed(const dailies::Error& error);
    void notification(const QString& text);
    void saved(const QString& file);
    /// An adapter of this run, which leads, as it was at that step, is to learn what people preferred.
    void trainRequested(const std::string& runId, qint64 step, const std::vector<std::string>& comparedRuns);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Entered {
        judging::ArenaRecord record;
        std::vector<judging::Choice> choices;
    };

    QWidget* makeBout();
    QWidget* makeReveal();
    void begin(Entered entered);
    void answer(judging::Outcome outcome);
    void undoLast();
    void showNext();
    void reveal();
    void askWhereToSave();
    void savePreferences(const QString& file);
    void train();
    std::vector<std::string> comparedRuns() const;
    QString standing() const;

    std::filesystem::path m_storeFile;
    std::string m_author;
    ReviewData m_data;
    std::map<judging::ClipKey, tracking::ClipRecord> m_clips;  ///< of the roster
    std::string m_arenaId;
    std::optional<judging::Arena> m_arena;
    std::vector<std::shared_ptr<std::int64_t>> m_ids;  ///< of the choices; belong to the writer's thread
    bool m_isEntering = false;
    PendingWrites m_writes;

    QStackedWidget* m_stack;
    QLabel* m_prompt;
    QLabel* m_progressText;
    QProgressBar* m_progress;
    ClipStage* m_stage;
    QPushButton* m_takeBack = nullptr;
    QLabel* m_verdict;
    QLabel* m_details;
    RankingView* m_ranking;
    QPushButton* m_goOn = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_train = nullptr;
    AsyncTask m_saving;
};

}  // namespace dailies::ui
