#pragma once

#include "ui/review/decode_pool.h"
#include "ui/review/frame_cache.h"
#include "ui/review/playhead.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

/// A clip that is on screen.
struct PlayedClip {
    std::string file;
    int frames = 1;  ///< as recorded; the file's own count takes its place when it has been opened
    QSize box;       ///< the place it may fill, in device pixels
    double fps = 0;  ///< as recorded, likewise; 0: not known
    int offset = 0;  ///< frames by which it is ahead of the others
    bool operator==(const PlayedClip&) const = default;
};

/// Plays many clips on one play head: decides what to decode, keeps what was decoded, says when to paint. GUI
/// thread only.
///
/// The clip of the highest frame rate lends the play head its frames; every other clip shows the frame whose
/// interval holds that frame's time, and its last one after its end. While playing, half a second is decoded
/// ahead of the play head; while paused, as much of the clips as the cache holds, nearest first, so that any
/// frame is at hand. Files are looked at once a second: one that has changed or grown is opened anew.
class ClipPlayer : public QObject {
    Q_OBJECT

public:
    explicit ClipPlayer(QObject* parent = nullptr);

    Playhead& playhead() { return m_playhead; }
    FrameCache& cache() { return m_cache; }

    /// What is on screen now. The play head keeps its place in time.
    void setClips(std::vector<PlayedClip> clips);

    /// Clips that are likely to come on screen next (the neighbouring training steps): their frame under the
    /// play head is decoded when nothing else is to do.
    void setLikelyNext(std::vector<PlayedClip> clips);

    /// The clip's picture under the play head, or the reason why there is none; nullptr while it is being
    /// decoded. A clip shorter than the others shows its last frame. Valid until the event loop runs again.
    const DecodedFrame* current(const PlayedClip& clip);

    /// The number of that frame in the clip's own file.
    int frameOf(const PlayedClip& clip) const;

    /// What the file turned out to be; null until it has been opened.
    std::shared_ptr<const ClipFacts> facts(const std::string& file) const;

    /// Whether the file was still being written a moment ago.
    bool isGrowing(const std::string& file) const;

    /// Tries clips again that could not be decoded: their files may be whole by now.
    void retryErrors();

    bool isComplete() { return isReady(m_playhead.frame()); }  ///< every clip's current picture is there

signals:
    void pictureChanged();  ///< paint again

private:
    /// A clip with the times of its frames: its file's, or the recorded ones until that has been opened.
    struct TimedClip {
        PlayedClip clip;
        video::ClipTiming timing;
        int frameAt(double seconds) const;
    };

    TimedClip timed(const PlayedClip& clip) const;
    bool isReady(int tick);
    void refreshTiming();
    void tellCache();
    void requestFrames();
    int reach() const;
    DecodeJob readAhead(const TimedClip& timed, int reach);
    void onDecoded(const std::vector<DecodedFrame>& frames);
    void onChanged(const std::vector<std::string>& files);
    void compareFiles();

    std::vector<PlayedClip> m_clips;
    std::vector<TimedClip> m_timed;  ///< the same
    std::vector<PlayedClip> m_likelyNext;
    std::unordered_map<std::string, std::shared_ptr<const ClipFacts>> m_facts;
    std::unordered_map<std::string, std::int64_t>
        m_changedMs;  ///< when a file was last found changed, on m_clock
    QElapsedTimer m_clock;
    QTimer m_compare;
    FrameCache m_cache;
    Playhead m_playhead;
    DecodePool m_pool;
};

}  // namespace dailies::ui
