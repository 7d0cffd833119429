#pragma once

#include "core/base/error.h"
#include "core/judging/morning_playlist.h"
#include "ui/bridge/run_async.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <filesystem>
#include <vector>

class QLabel;
class QListWidget;
class QPushButton;

namespace dailies::ui {

class ClipStage;
class ElidedLabel;
class EmptyState;
class ReviewModel;

/// The morning dailies: a playlist of clips that are new to the person, run by run, what failed a check or
/// became worse first, each beside the same prompt's clip one sampling before. Whatever one moves on from
/// counts as seen. Keys: Down or Enter for the next clip, Up, the wall's for playing and judging, W shows the
/// clip's run on the wall, Shift+A marks all as seen, Escape leaves. GUI thread only.
class MorningView : public QWidget {
    Q_OBJECT

public:
    /// `reviewModel` is where judgements go; it outlives this.
    MorningView(std::filesystem::path storeFile, ReviewModel& reviewModel, QWidget* parent = nullptr);

    /// Reads anew; the entry on show stays. Unless it is to be `now`, a moment later, and not at all where
    /// that was done a moment ago.
    void refresh(bool now);
    /// Begins at the first entry.
    void enter();

    const judging::MorningPlaylist& morning() const { return m_morning; }
    int current() const;
    ClipStage& stage() { return *m_stage; }
    bool isSettled();

signals:
    void countChanged(int clips);  ///< how many are in the playlist
    void left();
    void wallRequested(const std::string& runId, qint64 step);
    void failed(const dailies::Error& error);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeClip();
    QWidget* makeList();
    void take(judging::MorningPlaylist morning);
    void dropSeen();
    void read();
    void fillList();
    void refreshRows();
    void showEntry();
    void showReview();
    void move(int by);
    void markSeen(int row);
    void markAllSeen();
    void showOnWall();
    void rate(int stars);
    const judging::MorningClip* entry(int row) const;

    std::filesystem::path m_storeFile;
    ReviewModel& m_reviewModel;
    judging::MorningPlaylist m_morning;
    AsyncTask m_reading;
    QTimer m_wait;
    bool m_isReading = false;
    bool m_listIsStale = false;  ///< the rows are not those of the playlist
    QElapsedTimer m_sinceRead;

    ClipStage* m_stage;
    QLabel* m_icon;
    ElidedLabel* m_title;
    ElidedLabel* m_why;
    QLabel* m_rating;
    QLabel* m_count;
    QListWidget* m_list;
    EmptyState* m_empty;
    QWidget* m_clip = nullptr;
};

}  // namespace dailies::ui
