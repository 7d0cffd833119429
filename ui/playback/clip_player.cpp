#include "ui/playback/clip_player.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kAhead =
    12;  ///< frames decoded before they are due: half a second at 24 fps rides out other programs' bursts
constexpr int kAheadBackwards = 24;
constexpr int kBatch = 4;  ///< frames of one clip decoded in one go; more would let urgent frames wait longer
/// Backwards too a clip is decoded forwards, a batch at a time, and each batch costs the way from the key
/// frame before it: fewer and longer ones, or the whole way where that is longer.
constexpr int kBatchBackwards = 12;
constexpr int kBehind = 8;        ///< frames at hand for stepping back
constexpr int kShortWay = 3;      ///< and fewer, as in our own clips
constexpr int kLongWay = 16;      ///< frames from a key frame that make a way long
constexpr int kMaxAtHand = 1000;  ///< frames of each clip that a pause decodes
/// From the last seek until clips' own pictures are decoded where that is a long way: who drags the slider
/// moves it sooner than that, who looks has not yet begun to see.
constexpr int kRestMs = 150;
constexpr int kCompareMs = 1000;        ///< how often files are looked at
constexpr double kAfterProxies = 1e-7;  ///< seconds: after every proxy's picture, before all else
constexpr double kLikelyNextDue = 1;    ///< seconds: after what plays, before what only a pause would need

}  // namespace

ClipPlayer::ClipPlayer(QObject* parent) : QObject(parent) {
    m_playhead.setReadyCheck([this](int frame) { return isReady(frame); });
    connect(m_service.get(), &FrameService::arrived, this, &ClipPlayer::onArrived);
    connect(m_service.get(), &FrameService::changed, this, [this] {
        requestFrames();
        emit pictureChanged();
    });
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, this, &ClipPlayer::requestFrames);
    connect(&m_playhead, &Playhead::frameChanged, this, [this] {
        m_playhead.isPlaying() ? m_rest.stop() : m_rest.start();
        requestFrames();
        emit pictureChanged();
    });
    connect(&m_playhead, &Playhead::stateChanged, this, &ClipPlayer::requestFrames);
    connect(&m_compare, &QTimer::timeout, this, &ClipPlayer::checkForChanges);
    m_compare.setInterval(kCompareMs);
}

ClipPlayer::~ClipPlayer() {
    m_service->leave(this);
}

void ClipPlayer::setClips(std::vector<PlayedClip> clips, bool opened) {
    if (clips == m_clips && opened == m_opened && !m_suspended) return;
    m_clips = std::move(clips);
    m_opened = opened;
    m_suspended = false;
    m_clips.empty() ? m_compare.stop() : m_compare.start();
    refreshTiming();
    requestFrames();
    askForOpened();
    m_playhead.framesArrived();  // it may have waited for a picture of the clips before
    emit pictureChanged();
}

void ClipPlayer::setProxiesUsed(bool used) {
    if (std::exchange(m_proxiesUsed, used) == used) return;
    requestFrames();
}

void ClipPlayer::setPrefetchClips(std::vector<PlayedClip> clips) {
    m_prefetchClips = std::move(clips);
    requestFrames();
}

void ClipPlayer::suspend() {
    m_suspended = true;
    m_compare.stop();
    m_service->leave(this);
}

const DecodedFrame* ClipPlayer::current(const PlayedClip& clip) {
    const int frame = frameOf(clip);
    if (const DecodedFrame* own = cache().find(clip.file, clip.box, frame)) return own;
    const auto proxy = proxyKey(clip, frame);
    return proxy ? cache().find(*proxy) : nullptr;
}

int ClipPlayer::frameOf(const PlayedClip& clip) const {
    return timed(clip).frameAt(m_playhead.seconds());
}

// -- one clock

int ClipPlayer::TimedClip::frameAt(double seconds) const {
    return std::clamp(timing.frameAt(seconds) + clip.offset, 0, std::max(timing.frames() - 1, 0));
}

int ClipPlayer::TimedClip::groupStart(int frame) const {
    if (!facts || facts->keyFrames.empty()) return 0;
    const auto after = std::upper_bound(facts->keyFrames.begin(), facts->keyFrames.end(), frame);
    return after == facts->keyFrames.begin() ? 0 : *std::prev(after);
}

ClipPlayer::TimedClip ClipPlayer::timed(const PlayedClip& clip) const {
    auto known = facts(clip.file);
    if (known && known->timing.frames() > 0) {
        video::ClipTiming timing = known->timing;
        return {clip, std::move(timing), std::move(known)};
    }
    return {clip, video::ClipTiming::constantRate(clip.frames, clip.fps > 0 ? clip.fps : m_playhead.rate()),
            nullptr};
}

void ClipPlayer::refreshTiming() {
    m_timed.clear();
    for (const PlayedClip& clip : m_clips) m_timed.push_back(timed(clip));
    // An empty wall (a run that waits in the queue) is passed by; who comes back finds the place again.
    if (m_timed.empty()) return m_playhead.pause();
    std::vector<video::ClipTiming> timings;
    for (const TimedClip& clip : m_timed) timings.push_back(clip.timing);
    m_playhead.setTiming(video::combinedTiming(timings));
}

bool ClipPlayer::isReady(int tick) {
    const double seconds = m_playhead.timing().secondsOf(tick);
    return std::all_of(m_timed.begin(), m_timed.end(), [&](const TimedClip& timed) {
        return cache().find(timed.clip.file, timed.clip.box, timed.frameAt(seconds)) != nullptr;
    });
}

bool ClipPlayer::hasPictures() {
    return std::all_of(m_clips.begin(), m_clips.end(),
                       [this](const PlayedClip& clip) { return current(clip) != nullptr; });
}

std::optional<FrameKey> ClipPlayer::proxyKey(const PlayedClip& clip, int frame) const {
    const std::string* proxy = m_proxiesUsed ? m_service->proxyOf(clip.file) : nullptr;
    const auto known = proxy ? facts(clip.file) : nullptr;
    if (!known) return std::nullopt;
    return FrameKey{*proxy, frame, displaySize(known->size, clip.box)};
}

bool ClipPlayer::isFarFrom(const TimedClip& timed, int frame) {
    const auto* here = cache().framesOf(timed.clip.file, timed.clip.box);
    const auto isHere = [&](int n) { return here && here->contains(n); };
    // While it plays, the frame before was decoded last, and the decoder goes on from there.
    const bool goesOn = m_playhead.isPlaying() && isHere(frame - 1);
    return !isHere(frame) && !goesOn && frame - timed.groupStart(frame) >= kShortWay;
}

// -- what to decode

std::vector<PlaybackState> ClipPlayer::playbackStates(int room) const {
    const video::ClipTiming& ticks = m_playhead.timing();
    const double first = ticks.secondsOf(m_playhead.loopIn()), last = ticks.secondsOf(m_playhead.loopOut());
    const double tick = m_playhead.tickSeconds() * m_playhead.speed();
    std::vector<PlaybackState> places;
    for (const TimedClip& timed : m_timed) {
        const double fps = timed.timing.fps();
        places.push_back({.file = timed.clip.file,
                          .box = timed.clip.box,
                          .frame = timed.frameAt(m_playhead.seconds()),
                          .first = timed.frameAt(first),
                          .last = timed.frameAt(last),
                          .direction = m_playhead.direction(),
                          .fps = fps,
                          .step = std::max(static_cast<int>(std::ceil(tick * fps - 0.01)), 1),
                          .mode = m_playhead.loopMode(),
                          .behind = std::max(kBehind, reachOf(timed, room).against)});
        const PlaybackState& own = places.back();
        if (auto proxy = proxyKey(timed.clip, own.frame))
            places.push_back({.file = std::move(proxy->file),
                              .box = proxy->box,
                              .frame = own.frame,
                              .first = own.frame,
                              .last = own.frame,
                              .behind = 0});
    }
    return places;
}

/// Frames of each clip that the cache holds when it holds equally many of all.
int ClipPlayer::room() const {
    std::size_t bytesOfWall = 1;
    for (const PlayedClip& clip : m_clips)
        bytesOfWall +=
            4 * static_cast<std::size_t>(clip.box.width()) * static_cast<std::size_t>(clip.box.height());
    return static_cast<int>(std::min<std::size_t>(m_service->cache().limit() / bytesOfWall, kMaxAtHand));
}

ClipPlayer::Reach ClipPlayer::reachOf(const TimedClip& timed, int room) const {
    const bool backwards = m_playhead.direction() < 0;
    const int frame = timed.frameAt(m_playhead.seconds());
    const int wayBack = frame - timed.groupStart(std::max(frame - 1, 0));
    Reach wanted;
    if (!m_playhead.isPlaying())
        wanted = {kMaxAtHand, backwards ? kBehind : std::max(kBehind, wayBack)};
    else
        wanted = {backwards ? kAheadBackwards + wayBack : kAhead, 0};
    // What is decoded further ahead than the cache can hold pushes out what is wanted sooner.
    const int longest = m_playhead.length() - 1;
    const int against = std::min({wanted.against, std::max(room / 2, kBehind), longest});
    return {std::min({wanted.along, std::max(room - std::max(against, kBehind) - 2, 1), longest}), against};
}

void ClipPlayer::requestFrames() {
    if (m_suspended) return;
    std::vector<DecodeJob> jobs;
    const auto add = [&](DecodeJob job) {
        if (!job.frames.empty()) jobs.push_back(std::move(job));
    };
    const int room = this->room();
    for (const TimedClip& timed : m_timed) {
        const int frame = timed.frameAt(m_playhead.seconds());
        const auto proxy = isFarFrom(timed, frame) ? proxyKey(timed.clip, frame) : std::nullopt;
        if (proxy && !cache().find(*proxy)) add({proxy->file, proxy->box, {frame}});
        if (proxy && isSeeking()) continue;
        add(firstOfProxy(timed, frame));
        const Reach reach = reachOf(timed, room);
        DecodeJob now = underPlayhead(timed);
        if (proxy) now.due = kAfterProxies;
        add(std::move(now));
        add(ahead(timed, true, reach.along));
        add(ahead(timed, false, reach.against));
    }
    if (!m_playhead.isPlaying() && !isSeeking())
        for (const PlayedClip& clip : m_prefetchClips)
            if (const int frame = frameOf(clip); !cache().find(clip.file, clip.box, frame))
                jobs.push_back({clip.file, clip.box, {frame}, kLikelyNextDue});
    m_service->play(this, playbackStates(room), std::move(jobs));
}

DecodeJob ClipPlayer::firstOfProxy(const TimedClip& timed, int frame) {
    const auto proxy = m_playhead.isPlaying() ? std::nullopt : proxyKey(timed.clip, frame);
    const auto* here = proxy ? cache().framesOf(proxy->file, proxy->box) : nullptr;
    if (!proxy || (here && !here->empty())) return {};
    return {proxy->file, proxy->box, {frame}, kAfterProxies};
}

DecodeJob ClipPlayer::underPlayhead(const TimedClip& timed) {
    DecodeJob job{timed.clip.file, timed.clip.box, {}};
    const int frame = timed.frameAt(m_playhead.seconds());
    const auto* here = cache().framesOf(job.file, job.box);
    const auto isHere = [&](int n) { return here && here->contains(n); };
    if (isHere(frame)) return job;
    // A long way comes past the frames before this one, which a step back would have to come all the way for.
    const int start = timed.groupStart(frame);
    if (!m_playhead.isPlaying() && frame - start > kLongWay)
        for (int n = std::max(start, frame - kBehind); n < frame; ++n)
            if (!isHere(n)) job.frames.push_back(n);
    job.frames.push_back(frame);
    return job;
}

DecodeJob ClipPlayer::ahead(const TimedClip& timed, bool along, int reach) {
    DecodeJob job{timed.clip.file, timed.clip.box, {}};
    const video::ClipTiming& ticks = m_playhead.timing();
    const double tickSeconds = m_playhead.tickSeconds();
    const auto* here = cache().framesOf(job.file, job.box);
    const int direction = along ? m_playhead.direction() : -m_playhead.direction();
    std::size_t batch = direction < 0 ? kBatchBackwards : kBatch;
    int last = timed.frameAt(m_playhead.seconds());
    for (int distance = 1; distance <= reach && job.frames.size() < batch; ++distance) {
        const int tick = along ? m_playhead.frameAfter(distance) : m_playhead.frame() + direction * distance;
        if (tick < 0 || tick >= m_playhead.length()) break;
        const int frame = timed.frameAt(ticks.secondsOf(tick));
        if (frame == last) continue;  // the clip is slower than the play head, or has ended
        last = frame;
        if (here && here->contains(frame)) continue;
        if (job.frames.empty()) {
            job.due = std::max(distance * tickSeconds, 1e-6);
            if (direction < 0)
                batch = std::max(batch, static_cast<std::size_t>(frame - timed.groupStart(frame) + 1));
        } else if ((frame > job.frames.back()) != (direction > 0)) {
            break;  // around the loop's end: another way
        }
        job.frames.push_back(frame);
    }
    if (direction < 0) std::reverse(job.frames.begin(), job.frames.end());
    return job;
}

void ClipPlayer::onArrived(const std::vector<DecodedFrame>& frames, bool factsChanged) {
    if (m_suspended) return;
    if (factsChanged) {
        refreshTiming();
        askForOpened();
    }
    bool visible = false;
    for (const TimedClip& timed : m_timed) {
        const FrameKey now{timed.clip.file, timed.frameAt(m_playhead.seconds()), timed.clip.box};
        const auto proxy = proxyKey(timed.clip, now.frame);
        visible = visible || std::any_of(frames.begin(), frames.end(), [&](const DecodedFrame& frame) {
                      return frame.key == now || frame.key == proxy;
                  });
    }
    requestFrames();
    m_playhead.framesArrived();
    if (visible || factsChanged) emit pictureChanged();
}

void ClipPlayer::askForOpened() {
    if (!m_opened || m_suspended) return;
    std::vector<std::string> files;
    for (const TimedClip& timed : m_timed)
        if (fetchError(timed.clip.file).isEmpty()) files.push_back(timed.clip.file);
    m_service->open(files);
}

void ClipPlayer::checkForChanges() {
    std::vector<std::string> files;
    for (const PlayedClip& clip : m_clips) files.push_back(clip.file);
    m_service->checkForChanges(files);
}

}  // namespace dailies::ui
