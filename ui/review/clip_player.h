#pragma once

#include "ui/review/decode_pool.h"
#include "ui/review/frame_cache.h"
#include "ui/review/playhead.h"

#include <QObject>

#include <string>
#include <vector>

namespace dailies::ui {

/// A clip that is on screen.
struct PlayedClip {
    std::string file;
    int frames = 1;
    QSize box;  ///< the place it may fill, in device pixels
    bool operator==(const PlayedClip&) const = default;
};

/// Plays many clips on one play head: decides what to decode, keeps what was decoded, says when to paint. GUI
/// thread only.
class ClipPlayer : public QObject {
    Q_OBJECT

public:
    explicit ClipPlayer(QObject* parent = nullptr);

    Playhead& playhead() { return m_playhead; }

    /// What is on screen now. The play head keeps its place; its length becomes that of the longest clip.
    void setClips(std::vector<PlayedClip> clips);

    /// The clip's picture under the play head, or the reason why there is none; nullptr while it is being
    /// decoded. A clip shorter than the others shows its last frame. Valid until the event loop runs again.
    const DecodedFrame* current(const PlayedClip& clip);

    /// Tries clips again that could not be decoded: their files may be whole by now.
    void retryErrors();

    bool isComplete() { return isReady(m_playhead.frame()); }  ///< every clip's current picture is there

signals:
    void pictureChanged();  ///< paint again

private:
    bool isReady(int frame);
    FrameKey keyOf(const PlayedClip& clip, int frame) const;
    void requestFrames();
    DecodeJob readAhead(const PlayedClip& clip, int& distance);
    void onDecoded(const std::vector<DecodedFrame>& frames);

    std::vector<PlayedClip> m_clips;
    FrameCache m_cache;
    Playhead m_playhead;
    DecodePool m_pool;
};

}  // namespace dailies::ui
