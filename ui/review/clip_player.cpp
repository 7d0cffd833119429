#include "ui/review/clip_player.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <unistd.h>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kAhead =
    12;  ///< frames decoded before they are due: half a second at 24 fps rides out other programs' bursts
constexpr int kAheadBackwards = 24;
constexpr int kBatch = 4;  ///< frames of one clip decoded in one go; more would let urgent frames wait longer
/// Backwards too a clip is decoded forwards, a batch at a time, and each batch costs a seek to the key frame
/// before it: fewer and longer ones.
constexpr int kBatchBackwards = 12;
constexpr int kBehind = 8;            ///< frames at hand for stepping back
constexpr int kMostAtHand = 1000;     ///< frames of each clip that a pause decodes
constexpr int kCompareMs = 1000;      ///< how often files are looked at
constexpr int kGrowingMs = 3000;      ///< a file that has not changed for so long is whole
constexpr double kLikelyNextDue = 1;  ///< seconds: after what plays, before what only a pause would need
constexpr std::size_t kMostFacts = 4096;

/// A sixteenth of the machine's memory: on a usual one, enough to decode a wall of ten-second clips only
/// once.
std::size_t cacheBytes() {
    const auto memory =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::clamp(memory / 16, std::size_t{256} << 20, std::size_t{2} << 30);
}

int decodeThreads() {
    return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 2u, 8u));
}

/// Whether the play head takes its frames from `timing` rather than from `other`: from clips that move, then
/// from the fastest, and of equally fast ones from one that lacks no frame on its way.
bool leads(const video::ClipTiming& timing, const video::ClipTiming& other) {
    constexpr double kSameRate = 1.01;
    const bool moves = timing.frames() > 1, otherMoves = other.frames() > 1;
    if (other.frames() == 0 || moves != otherMoves) return moves || other.frames() == 0;
    if (timing.fps() > other.fps() * kSameRate) return true;
    return timing.fps() * kSameRate > other.fps() && timing.isSteady() && !other.isSteady();
}

}  // namespace

ClipPlayer::ClipPlayer(QObject* parent) : QObject(parent), m_cache(cacheBytes()), m_pool(decodeThreads()) {
    m_clock.start();
    m_playhead.setReadyCheck([this](int frame) { return isReady(frame); });
    connect(&m_pool, &DecodePool::decoded, this, &ClipPlayer::onDecoded);
    connect(&m_pool, &DecodePool::changed, this, &ClipPlayer::onChanged);
    connect(&m_playhead, &Playhead::frameChanged, this, [this] {
        requestFrames();
        emit pictureChanged();
    });
    connect(&m_playhead, &Playhead::stateChanged, this, &ClipPlayer::requestFrames);
    connect(&m_compare, &QTimer::timeout, this, &ClipPlayer::compareFiles);
    m_compare.setInterval(kCompareMs);
}

void ClipPlayer::setClips(std::vector<PlayedClip> clips) {
    if (clips == m_clips) return;
    m_clips = std::move(clips);
    if (m_facts.size() > kMostFacts)
        std::erase_if(m_facts, [&](const auto& known) {
            return std::none_of(m_clips.begin(), m_clips.end(),
                                [&](const PlayedClip& clip) { return clip.file == known.first; });
        });
    m_clips.empty() ? m_compare.stop() : m_compare.start();
    refreshTiming();
    requestFrames();
    emit pictureChanged();
}

void ClipPlayer::setLikelyNext(std::vector<PlayedClip> clips) {
    m_likelyNext = std::move(clips);
    requestFrames();
}

const DecodedFrame* ClipPlayer::current(const PlayedClip& clip) {
    return m_cache.find(clip.file, clip.box, frameOf(clip));
}

int ClipPlayer::frameOf(const PlayedClip& clip) const {
    return timed(clip).frameAt(m_playhead.seconds());
}

std::shared_ptr<const ClipFacts> ClipPlayer::facts(const std::string& file) const {
    const auto known = m_facts.find(file);
    return known == m_facts.end() ? nullptr : known->second;
}

bool ClipPlayer::isGrowing(const std::string& file) const {
    const auto changed = m_changedMs.find(file);
    return changed != m_changedMs.end() && m_clock.elapsed() - changed->second < kGrowingMs;
}

void ClipPlayer::retryErrors() {
    m_cache.forgetErrors();
    m_pool.closeFiles();
    requestFrames();
}

// -- one clock

int ClipPlayer::TimedClip::frameAt(double seconds) const {
    return std::clamp(timing.frameAt(seconds) + clip.offset, 0, std::max(timing.frames() - 1, 0));
}

ClipPlayer::TimedClip ClipPlayer::timed(const PlayedClip& clip) const {
    const auto known = m_facts.find(clip.file);
    if (known != m_facts.end() && known->second->timing.frames() > 0) return {clip, known->second->timing};
    return {clip, video::ClipTiming::steady(clip.frames, clip.fps > 0 ? clip.fps : m_playhead.rate())};
}

void ClipPlayer::refreshTiming() {
    m_timed.clear();
    for (const PlayedClip& clip : m_clips) m_timed.push_back(timed(clip));
    // An empty wall (a run that waits in the queue) is passed by; who comes back finds the place again.
    if (m_timed.empty()) return m_playhead.pause();
    video::ClipTiming leading;
    double longest = 0;
    for (const TimedClip& clip : m_timed) {
        longest = std::max(longest, clip.timing.duration());
        if (leads(clip.timing, leading)) leading = clip.timing;
    }
    // A still picture lasts as long as it is looked at.
    if (leading.frames() > 1) leading = leading.extendedTo(longest);
    m_playhead.setTiming(std::move(leading));
}

bool ClipPlayer::isReady(int tick) {
    const double seconds = m_playhead.timing().secondsOf(tick);
    return std::all_of(m_timed.begin(), m_timed.end(), [&](const TimedClip& timed) {
        return m_cache.find(timed.clip.file, timed.clip.box, timed.frameAt(seconds)) != nullptr;
    });
}

// -- what to decode

void ClipPlayer::tellCache() {
    const video::ClipTiming& ticks = m_playhead.timing();
    const double first = ticks.secondsOf(m_playhead.loopIn()), last = ticks.secondsOf(m_playhead.loopOut());
    const double tick = m_playhead.tickSeconds() * m_playhead.speed();
    std::vector<ShownPlace> places;
    for (const TimedClip& timed : m_timed) {
        const double fps = timed.timing.fps();
        places.push_back({timed.clip.file, timed.clip.box, timed.frameAt(m_playhead.seconds()),
                          timed.frameAt(first), timed.frameAt(last), m_playhead.direction(), fps,
                          std::max(static_cast<int>(std::ceil(tick * fps - 0.01)), 1)});
    }
    m_cache.setShown(places, m_playhead.loopMode());
}

int ClipPlayer::reach() const {
    std::size_t bytesOfWall = 1;
    for (const PlayedClip& clip : m_clips)
        bytesOfWall +=
            4 * static_cast<std::size_t>(clip.box.width()) * static_cast<std::size_t>(clip.box.height());
    // What is decoded further ahead than the cache can hold pushes out what is wanted sooner.
    const auto room = static_cast<int>(std::min<std::size_t>(m_cache.limit() / bytesOfWall, kMostAtHand));
    const int wanted = !m_playhead.isPlaying()      ? kMostAtHand
                       : m_playhead.direction() < 0 ? kAheadBackwards
                                                    : kAhead;
    return std::min({wanted, std::max(room - kBehind - 2, 1), m_playhead.length() - 1});
}

void ClipPlayer::requestFrames() {
    tellCache();
    std::vector<DecodeJob> jobs;
    const int ahead = reach();
    const double now = m_playhead.seconds();
    for (const TimedClip& timed : m_timed) {
        const PlayedClip& clip = timed.clip;
        const int frame = timed.frameAt(now);
        if (!m_cache.find(clip.file, clip.box, frame)) jobs.push_back({clip.file, clip.box, {frame}});
        if (DecodeJob job = readAhead(timed, ahead); !job.frames.empty()) jobs.push_back(std::move(job));
    }
    if (!m_playhead.isPlaying())
        for (const PlayedClip& clip : m_likelyNext)
            if (const int frame = frameOf(clip); !m_cache.find(clip.file, clip.box, frame))
                jobs.push_back({clip.file, clip.box, {frame}, kLikelyNextDue});
    m_pool.setJobs(std::move(jobs));
}

DecodeJob ClipPlayer::readAhead(const TimedClip& timed, int reach) {
    DecodeJob job{timed.clip.file, timed.clip.box, {}};
    const bool paused = !m_playhead.isPlaying(), backwards = m_playhead.direction() < 0;
    const std::size_t batch = backwards ? kBatchBackwards : kBatch;
    const video::ClipTiming& ticks = m_playhead.timing();
    const double tickSeconds = m_playhead.tickSeconds();
    const auto* here = m_cache.framesOf(job.file, job.box);
    int last = timed.frameAt(m_playhead.seconds());
    const auto consider = [&](int tick, int distance) {
        const int frame = tick < 0 ? last : timed.frameAt(ticks.secondsOf(tick));
        if (frame == last) return;  // the clip is slower than the play head, or has ended
        last = frame;
        if (here && here->contains(frame)) return;
        if (job.frames.empty()) job.due = std::max(distance * tickSeconds, 1e-6);
        job.frames.push_back(frame);
    };
    for (int distance = 1; distance <= reach && job.frames.size() < batch; ++distance) {
        consider(m_playhead.following(distance), distance);
        const int behind = m_playhead.frame() - m_playhead.direction() * distance;
        if (paused && distance <= kBehind && behind >= 0 && behind < m_playhead.length())
            consider(behind, distance);
    }
    std::sort(job.frames.begin(), job.frames.end());
    job.frames.erase(std::unique(job.frames.begin(), job.frames.end()), job.frames.end());
    return job;
}

void ClipPlayer::onDecoded(const std::vector<DecodedFrame>& frames) {
    bool visible = false, timingChanged = false;
    for (const DecodedFrame& frame : frames) {
        auto& known = m_facts[frame.key.file];
        if (known != frame.facts) {
            if (known && known->stamp != frame.facts->stamp) m_cache.forget(frame.key.file);
            known = frame.facts;
            timingChanged = true;
        }
        m_cache.insert(frame);
    }
    if (timingChanged) refreshTiming();
    for (const TimedClip& timed : m_timed) {
        const FrameKey now{timed.clip.file, timed.frameAt(m_playhead.seconds()), timed.clip.box};
        visible = visible || std::any_of(frames.begin(), frames.end(),
                                         [&](const DecodedFrame& frame) { return frame.key == now; });
    }
    requestFrames();
    m_playhead.framesArrived();
    if (visible || timingChanged) emit pictureChanged();
}

// -- files that change

void ClipPlayer::compareFiles() {
    std::vector<std::pair<std::string, FileStamp>> files;
    for (const PlayedClip& clip : m_clips)
        if (const auto known = m_facts.find(clip.file); known != m_facts.end())
            files.emplace_back(clip.file, known->second->stamp);
    const auto settled = std::erase_if(
        m_changedMs, [&](const auto& changed) { return m_clock.elapsed() - changed.second >= kGrowingMs; });
    if (settled > 0) emit pictureChanged();
    m_pool.compareFiles(std::move(files));
}

void ClipPlayer::onChanged(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        m_cache.forget(file);
        m_changedMs[file] = m_clock.elapsed();
    }
    requestFrames();
    emit pictureChanged();
}

}  // namespace dailies::ui
