#pragma once

#include "ui/datasets/dataset_model.h"
#include "ui/playback/frame_service.h"
#include "ui/playback/playhead.h"

#include <QObject>
#include <QSize>

#include <memory>

namespace dailies::ui {

/// Plays the frames of one clip where they lie in its film, in a loop. GUI thread only.
class SpanPlayer : public QObject {
    Q_OBJECT

public:
    explicit SpanPlayer(QObject* parent = nullptr);
    ~SpanPlayer() override;

    /// Shows its first frame in that size (device pixels), and stops; the same clip in another size goes on.
    void show(const ClipPlace& place, QSize box);
    void toggle();
    void stop();  ///< and decodes nothing more
    bool isActive() const { return m_active; }
    bool isPlaying() const { return m_playhead.isPlaying(); }
    int frame() const { return m_playhead.frame(); }  ///< of the clip, from 0
    int frames() const { return m_place.frames; }
    /// The frame under the play head, or why there is none; null while it is decoded.
    const DecodedFrame* current();

signals:
    void pictureChanged();

private:
    void request();

    std::shared_ptr<FrameService> m_service = FrameService::shared();
    Playhead m_playhead;
    ClipPlace m_place;
    QSize m_box;
    bool m_active = false;
};

}  // namespace dailies::ui
