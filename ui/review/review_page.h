#pragma once

#include "ui/bridge/run_async.h"
#include "ui/playback/clip_player.h"
#include "ui/playback/playhead.h"
#include "ui/review/clip_actions.h"
#include "ui/wall/review_data.h"
#include "ui/widgets/shortcut_actions.h"

#include <QPoint>
#include <QPointer>
#include <QWidget>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

class QComboBox;
class QMenu;
class QPushButton;
class QSlider;
class QStackedWidget;
class QToolButton;

namespace dailies::ui {

class ArenaView;
class ArrangementPicker;
class ClipComparison;
class ClipExporter;
class EmptyState;
class ReviewController;
class MorningView;
enum class ViewMode;
class TransportBar;
class WallView;

/// The room where clips are watched: a wall of rows (prompts) and columns (runs), or of any two other axes,
/// under one play head, and a slider over training steps that moves all runs at once. Reads the store on a
/// worker thread; decodes on others. GUI thread only.
class ReviewPage : public QWidget {
    Q_OBJECT

public:
    explicit ReviewPage(std::filesystem::path storeFile, QWidget* parent = nullptr);
    ~ReviewPage() override;

    /// Which runs are the columns, until a sweep is chosen. Without any the sweep that was shown last time
    /// stands here; before the first time, the newest that has clips.
    void setRuns(const std::vector<std::string>& runIds);

    /// Runs were launched: those that sample checkpoints of the columns join them, and their clips as they
    /// arrive.
    void addLaunched(const std::vector<std::string>& runIds);

    /// Whether what the store held at the last reload is on screen, pictures included.
    bool isSettled();

    /// Lays the selected clip over the reference: that of the pinned column, else of the first other one with
    /// a clip.
    void showComparison(ViewMode mode);

    const WallView& wall() const { return *m_wall; }
    ClipPlayer& player() { return m_player; }
    ClipExporter& clipExporter() { return *m_clipExporter; }

    /// How wide tiles were in the last session; 0: as large as the room allows.
    void restoreTileWidth(int width);

    ReviewController& reviewController() { return *m_reviewController; }
    ArenaView& arena() { return *m_arena; }
    MorningView& morning() { return *m_morning; }
    ClipActions& clipActions() { return m_clipActions; }

    void enterArena();  ///< with the runs on the wall, at its step
    void enterMorning();

    /// Everything that the page does by key: parts of the page add theirs. The page's `actions()` are the
    /// same, for whoever offers them elsewhere; one is enabled while it can do something.
    ShortcutActions& keys() { return m_keys; }

    /// Puts what can be done to the selected clip's run among the page's `actions()`, each under the run's
    /// name. For whoever is about to read them; none where no clip is in view, or in the blind
    /// arena, which names no run.
    void offerRunActions();

public slots:
    /// The store has changed: shows what is new, and keeps step, frame, selection and zoom. Someone who is at
    /// the newest step stays at the newest. A page that nobody sees does so when it is shown.
    void reload();

signals:
    void launchRequested();      ///< from the empty state: the way to the first clips
    void openFolderRequested();  ///< a folder of clips from elsewhere is wanted on the wall
    void notification(const QString& text);
    void saved(const QString& file);
    void failed(const dailies::Error& error);
    void frameCacheChosen(qint64 mebibytes);  ///< for all clips, from now on; 0: by the machine's memory
    void tileWidthChosen(int width);          ///< by a person; 0: as large as the room allows
    /// More clips of these runs' checkpoints are wanted.
    void sampleRequested(const std::vector<std::string>& runIds);
    /// As `ArenaView::trainRequested`.
    void trainOnPreferencesRequested(const std::string& runId, qint64 step,
                                     const std::vector<std::string>& comparedRuns);
    void scoreRequested(const std::vector<std::string>& runIds);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void buildHeader();
    void nameMorningEntry();
    void buildTileSize();
    void showMore();
    void addCacheChoices(QMenu& choices);
    void popUpBelowMore(QMenu& menu);
    void addPageKeys();
    void offerActions();
    void refreshActions();
    /// Why it cannot be done now, for a person; empty when it can.
    QString disabledReasonFor(const ShortcutActions::Action& action) const;
    void describeTools();
    void buildModes();
    void leaveMode();
    void showOnWall(const std::string& runId, std::int64_t step);
    /// Of the selected tile; by the keyboard it stands on the picture.
    void showClipMenu(std::optional<QPoint> place);
    void addClipEntries(QMenu& menu);
    QMenu* makeRunMenu();  ///< of the selected tile; null where it has no run
    /// An entry that does what the key of that id does, and says the key.
    QAction* makeMenuEntry(QMenu& menu, const char* id, const char* iconName = nullptr);
    void addModeKeys();
    void readChosen();
    void keepSweep();
    void showLoaded(ReviewData loaded);
    void showFailure(const Error& error);
    void addKeys();
    void addClipTimeKeys();
    void addTrainingTimeKeys();
    void addWallKeys();
    void showStep(int index);
    void refreshScene();
    void refreshSteps();
    void refreshSweeps();
    void pinSelectedColumn();
    std::string stackOfSelected() const;  ///< the run that has resamples, if the selected clip is of them
    void toggleStack();
    void holdSelectedClip();
    void refreshEmptyState();
    void refreshComparison();
    void goToNextFinding();
    void showWall();
    void exportClips(const QString& ending);
    std::vector<std::string> shownRunIds() const;
    void showKeys();
    int stepIndex() const;

    ReviewRequest m_request;
    std::string m_lastViewedSweep;  ///< shown the next time, too
    ReviewData m_data;
    AsyncTask m_loading;
    bool m_isLoading = false;
    bool m_reloadAgain = false;
    bool m_isStale = false;  ///< the store changed while the page was not shown
    bool m_loaded = false;
    std::int64_t m_step = 0;
    bool m_followNewest = true;
    int m_unseenClips = 0;
    bool m_isMorningShort = false;  ///< the entry has no room for its words

    ShortcutActions m_keys;
    QPointer<QMenu> m_runActions;     ///< holds those of the run, and is never shown
    std::vector<QAction*> m_actions;  ///< one for each of the keys' actions, in their order
    ClipPlayer m_player;
    ClipActions m_clipActions;
    Playhead
        m_stepPlayhead;  ///< plays through the training steps; its frames are indexes into the data's steps
    QWidget* m_header = nullptr;
    QComboBox* m_sweeps = nullptr;
    ArrangementPicker* m_arrangement = nullptr;
    QToolButton* m_arenaEntry = nullptr;
    QToolButton* m_notesEntry = nullptr;
    QToolButton* m_more = nullptr;
    QStackedWidget* m_modes = nullptr;  ///< the wall with its bar, the arena, the morning dailies
    QStackedWidget* m_stack = nullptr;
    ReviewController* m_reviewController = nullptr;
    ArenaView* m_arena = nullptr;
    MorningView* m_morning = nullptr;
    QPushButton* m_morningEntry = nullptr;
    WallView* m_wall = nullptr;
    ClipComparison* m_comparison = nullptr;
    QStackedWidget* m_views = nullptr;  ///< the wall, or the comparison in its place
    TransportBar* m_transport = nullptr;
    QSlider* m_tileSize = nullptr;
    QToolButton* m_fitTiles = nullptr;
    ClipExporter* m_clipExporter = nullptr;
    EmptyState* m_empty = nullptr;
};

}  // namespace dailies::ui
