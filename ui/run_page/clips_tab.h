#pragma once

#include "ui/bridge/run_async.h"
#include "ui/playback/clip_player.h"
#include "ui/wall/review_data.h"

#include <QWidget>

#include <filesystem>
#include <string>

class QStackedWidget;

namespace dailies::ui {

class EmptyState;
class TransportBar;
class WallView;

/// All clips of one run, playing together: rows are prompts, columns the steps at which it sampled.
class ClipsTab : public QWidget {
    Q_OBJECT

public:
    explicit ClipsTab(std::filesystem::path storeFile, QWidget* parent = nullptr);

    void setRun(const std::string& runId);
    void reload();
    /// Puts the cursor on the sampled step that is nearest.
    void showNearest(double step);
    bool isSettled() const;
    const WallView& wall() const { return *m_wall; }
    Playhead& playhead() { return m_player.playhead(); }

signals:
    /// The cursor came to a clip of this step.
    void stepChosen(double step);
    void failed(const dailies::Error& error);

protected:
    void hideEvent(QHideEvent* event) override;

private:
    void showLoaded(ReviewData found);
    void refreshScene();

    ReviewRequest m_request;
    ReviewData m_data;
    ClipPlayer m_player;  ///< before the widgets that show it
    bool m_loading = false;
    AsyncTask m_task;
    QStackedWidget* m_stack;
    WallView* m_wall;
    TransportBar* m_transport;
    EmptyState* m_empty;
};

}  // namespace dailies::ui
