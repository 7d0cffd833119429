#pragma once

#include "ui/bridge/run_async.h"
#include "ui/playback/clip_player.h"
#include "ui/wall/review_data.h"

#include <QWidget>

#include <filesystem>
#include <string>
#include <vector>

class QLabel;

namespace dailies::ui {

class TransportBar;
class WallView;

/// The clips of the compared runs, of the same prompt and seed beside one another, all at one step and on one
/// play head: the Review page's wall without its bar. GUI thread only.
class CompareClips : public QWidget {
    Q_OBJECT

public:
    explicit CompareClips(std::filesystem::path storeFile, QWidget* parent = nullptr);

    /// Reads these runs' clips; they keep this order. Step and frame stay where they can.
    void setRuns(const std::vector<std::string>& runIds);
    /// Shows the sampled step that is nearest, and puts the cursor on the run's column ("": leaves it).
    void showNearest(double step, const std::string& runId);

    bool isSettled() const;
    bool hasClips() const { return !m_data.rows.empty(); }
    std::int64_t step() const { return m_step; }
    const WallView& wall() const { return *m_wall; }
    Playhead& playhead() { return m_player.playhead(); }
    void stepBy(int steps);  ///< sampled steps on or back

signals:
    void stepChanged(double step);
    void loaded();  ///< also tells every run's colour its place: repaint
    void failed(const dailies::Error& error);

protected:
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void load();
    void showLoaded(ReviewData found);
    void showStep(int index);
    int stepIndex() const;
    void refreshScene();
    void fitWall();

    ReviewRequest m_request;
    ReviewData m_data;
    ClipPlayer m_player;  ///< before the widgets that show it
    std::int64_t m_step = 0;
    bool m_followNewest = true;
    bool m_loading = false;
    AsyncTask m_task;
    WallView* m_wall;
    TransportBar* m_transport;
    QLabel* m_note;
};

}  // namespace dailies::ui
