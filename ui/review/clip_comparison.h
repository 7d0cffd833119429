#pragma once

#include "ui/bridge/run_async.h"
#include "ui/playback/clip_player.h"
#include "ui/widgets/shortcut_actions.h"

#include <QColor>
#include <QWidget>

#include <string>
#include <utility>
#include <vector>

class QAbstractButton;
class QLabel;
class QPushButton;
class QSlider;
class QToolButton;

namespace dailies::ui {

class ClipViewport;
class PanZoom;
class QualityCurves;
class QualityMeter;
class ScopeView;
enum class ViewMode;

/// A clip to compare: its file, and what to call it.
struct ComparedClip {
    std::string file;  ///< empty: there is none, `note` says why
    int frames = 1;
    double fps = 0;
    QString name;  ///< of its run
    QString note;
    QColor color;    ///< the run's
    int offset = 0;  ///< frames by which it is shifted on the wall
    bool operator==(const ComparedClip&) const = default;
};

/// Two clips of the wall laid over one another under its play head: wipe, flip, difference, overlay and onion
/// skin, the values of a pixel, histogram and waveform, and how alike the clips are frame by frame. Plays
/// both with the page's player while it is shown. Has keys of its own beside the page's (`keys`), which "?"
/// shows. GUI thread only.
class ClipComparison : public QWidget {
    Q_OBJECT

public:
    explicit ClipComparison(ClipPlayer& player, QWidget* parent = nullptr);

    /// A is the reference. Mode, zoom and probe stay as they are.
    void compare(const ComparedClip& a, const ComparedClip& b);
    void setMode(ViewMode mode);

    /// The part of the pictures that is seen: also what the wall shows before and after.
    void setPanZoom(const PanZoom& place);

    const ClipViewport& viewport() const { return *m_viewport; }
    const QualityMeter& meter() const { return *m_meter; }
    bool isSettled() const;

    ShortcutActions& keys() { return m_keys; }

signals:
    void closed();
    void neighborRequested(int columns, int rows);  ///< B is to be another clip of the wall

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void addKeys();
    void describeButtons();
    QWidget* makeBar();
    QPushButton* makeModeButton(ViewMode mode, const QString& name, const char* action);
    void play();
    void showFrames();
    void showMeasures();
    void showSettings();
    void showAmount();
    void setAmount(int value);
    void swap();
    void toggle(QWidget* panel, QToolButton* button);
    PlayedClip played(const ComparedClip& clip, int offset = 0) const;

    ClipPlayer& m_player;
    ComparedClip m_a, m_b;
    QSize m_size;  ///< of A's pictures, or of B's where A has none: both are shown at it
    bool m_opening = false;
    AsyncTask m_opened;
    ShortcutActions m_keys;
    std::vector<std::pair<QAbstractButton*, QString>> m_described;  ///< and the action whose key it tells

    ClipViewport* m_viewport;
    ScopeView* m_scopes;
    QualityCurves* m_curves;
    QualityMeter* m_meter;
    std::vector<QPushButton*> m_modes;
    QLabel* m_amountName = nullptr;
    QSlider* m_amount = nullptr;
    QLabel* m_amountText = nullptr;
    QLabel* m_probe = nullptr;
    QToolButton* m_scopesButton = nullptr;
    QToolButton* m_curvesButton = nullptr;
};

}  // namespace dailies::ui
