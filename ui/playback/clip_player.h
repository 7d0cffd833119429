#pragma once

#include "ui/playback/frame_service.h"
#include "ui/playback/playhead.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <string>
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

/// Plays many clips on one play head: decides what to decode, says when to paint. Threads, decoded frames and
/// what is known of files it shares with all other players (`FrameService`). GUI thread only.
///
/// The clip of the highest frame rate lends the play head its frames; every other clip shows the frame whose
/// interval holds that frame's time, and its last one after its end. While playing, half a second is decoded
/// ahead of the play head; while paused, as much of the clips as the cache holds, nearest first, so that any
/// frame is at hand. Where key frames are far apart, every way back begins far away: there a pause decodes
/// the whole group of pictures around the play head in one go.
///
/// Such clips have proxies (core/video/clip_proxy.h): a seek shows the proxy's picture until the clip's own
/// is there, which is decoded when the play head rests. Only own pictures are played, and `isComplete` counts
/// only them, so nobody judges or measures a proxy. Files are looked at once a second: one that
/// has changed or grown is opened anew.
class ClipPlayer : public QObject {
    Q_OBJECT

public:
    explicit ClipPlayer(QObject* parent = nullptr);
    ~ClipPlayer() override;

    Playhead& playhead() { return m_playhead; }
    FrameCache& cache() { return m_service->cache(); }

    /// What is on screen now. The play head keeps its place in time. `opened`: somebody watches just these,
    /// so those that are not here whole are asked of the cluster.
    void setClips(std::vector<PlayedClip> clips, bool opened = false);

    /// Whoever shows nothing but clips' own pictures (a comparison) gets them sooner without proxies.
    void setProxiesUsed(bool used);

    /// Clips that are likely to come on screen next (the neighbouring training steps): their frame under the
    /// play head is decoded when nothing else is to do.
    void setPrefetchClips(std::vector<PlayedClip> clips);

    /// Nothing of it is on screen: leaves threads and cache to others until the next `setClips`.
    void suspend();

    /// The clip's picture under the play head, or the reason why there is none; nullptr while it is being
    /// decoded. While the play head does not rest it may be the proxy's (its key's file). A clip shorter than
    /// the others shows its last frame. Valid until the event loop runs again.
    const DecodedFrame* current(const PlayedClip& clip);

    /// The number of that frame in the clip's own file.
    int frameOf(const PlayedClip& clip) const;

    /// What the file turned out to be; null until it has been opened.
    std::shared_ptr<const ClipFacts> facts(const std::string& file) const { return m_service->facts(file); }

    /// Whether the file was still being written a moment ago.
    bool isGrowing(const std::string& file) const { return m_service->isGrowing(file); }

    /// Forgets why the file did not come: somebody opens it once more.
    void clearFetchError(const std::string& file) { m_service->clearFetchError(file); }
    /// The file was asked of the cluster and has not come whole.
    bool isFetching(const std::string& file) const { return m_service->isFetching(file); }
    QString fetchError(const std::string& file) const { return m_service->fetchError(file); }

    /// Tries clips again that could not be decoded: their files may be whole by now.
    void retryErrors() { m_service->retryErrors(); }

    bool isComplete() { return isReady(m_playhead.frame()); }  ///< every clip's own current picture is there
    bool hasPictures();  ///< there is something to see of every clip: its own picture or its proxy's

signals:
    void pictureChanged();  ///< paint again

private:
    /// A clip with the times of its frames: its file's, or the recorded ones until that has been opened.
    struct TimedClip {
        PlayedClip clip;
        video::ClipTiming timing;
        std::shared_ptr<const ClipFacts> facts;
        int frameAt(double seconds) const;
        /// The frame from which decoding must begin to reach this one.
        int groupStart(int frame) const;
    };
    /// How many ticks of the play head are wanted along its way and against it.
    struct Reach {
        int along = 0, against = 0;
    };

    TimedClip timed(const PlayedClip& clip) const;
    bool isReady(int tick);
    void refreshTiming();
    std::vector<PlaybackState> playbackStates(int room) const;
    void requestFrames();
    int room() const;
    Reach reachOf(const TimedClip& timed, int room) const;
    /// Where the proxy's picture of that frame is to be found; nullopt where there is no proxy to use.
    std::optional<FrameKey> proxyKey(const PlayedClip& clip, int frame) const;
    /// Whether the frame is so far from where decoding can begin that its proxy's picture comes first.
    bool isFarFrom(const TimedClip& timed, int frame);
    /// A seek was a moment ago, and another one is likely.
    bool isSeeking() const { return m_rest.isActive(); }
    /// Opens the proxy before the first seek needs it.
    DecodeJob firstOfProxy(const TimedClip& timed, int frame);
    DecodeJob underPlayhead(const TimedClip& timed);
    DecodeJob ahead(const TimedClip& timed, bool along, int reach);
    void onArrived(const std::vector<DecodedFrame>& frames, bool factsChanged);
    void checkForChanges();
    void askForOpened();

    std::shared_ptr<FrameService> m_service = FrameService::shared();
    std::vector<PlayedClip> m_clips;
    std::vector<TimedClip> m_timed;  ///< the same
    std::vector<PlayedClip> m_prefetchClips;
    bool m_suspended = true;
    bool m_opened = false;
    bool m_proxiesUsed = true;
    QTimer m_rest;  ///< runs from a seek on
    QTimer m_compare;
    Playhead m_playhead;
};

}  // namespace dailies::ui
