#pragma once

#include "ui/playback/clip_player.h"

#include <QImage>
#include <QWidget>

#include <string>
#include <vector>

namespace dailies::ui {

/// A clip or a few, beside one another and as large as fits, on a play head of their own. GUI thread only;
/// decodes nothing itself.
class ClipStage : public QWidget {
    Q_OBJECT

public:
    struct Clip {
        std::string file;
        int frames = 1;
        double fps = 8;
        QString caption;
        bool operator==(const Clip&) const = default;
    };

    explicit ClipStage(QWidget* parent = nullptr);

    /// Puts these on the stage, at frame `frame`.
    void setClips(std::vector<Clip> clips, int frame = 0);
    const std::vector<Clip>& clips() const { return m_clips; }

    Playhead& playhead() { return m_player.playhead(); }
    bool isComplete() { return m_player.isComplete(); }
    /// Where a clip's picture is, or would be, in this widget.
    QRect place(int index) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    PlayedClip played(int index) const;
    void arrange();

    ClipPlayer m_player;
    std::vector<Clip> m_clips;
    std::vector<QImage> m_lastPictures;  ///< shown until the next one is decoded
};

}  // namespace dailies::ui
