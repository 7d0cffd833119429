#include "ui/review/clip_player.h"

#include <algorithm>
#include <thread>
#include <unistd.h>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kAhead =
    12;  ///< frames decoded before they are due: half a second at 24 fps rides out other programs' bursts
constexpr int kBatch = 4;  ///< frames of one clip decoded in one go; more would let urgent frames wait longer

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

}  // namespace

ClipPlayer::ClipPlayer(QObject* parent) : QObject(parent), m_cache(cacheBytes()), m_pool(decodeThreads()) {
    m_playhead.setReadyCheck([this](int frame) { return isReady(frame); });
    connect(&m_pool, &DecodePool::decoded, this, &ClipPlayer::onDecoded);
    connect(&m_playhead, &Playhead::frameChanged, this, [this] {
        requestFrames();
        emit pictureChanged();
    });
    connect(&m_playhead, &Playhead::stateChanged, this, &ClipPlayer::requestFrames);
}

void ClipPlayer::setClips(std::vector<PlayedClip> clips) {
    if (clips == m_clips) return;
    m_clips = std::move(clips);
    int longest = 0;
    for (const PlayedClip& clip : m_clips) longest = std::max(longest, clip.frames);
    m_playhead.setLength(longest);
    requestFrames();
    emit pictureChanged();
}

const DecodedFrame* ClipPlayer::current(const PlayedClip& clip) {
    return m_cache.find(keyOf(clip, m_playhead.frame()));
}

void ClipPlayer::retryErrors() {
    m_cache.forgetErrors();
    m_pool.closeFiles();
    requestFrames();
}

bool ClipPlayer::isReady(int frame) {
    return std::all_of(m_clips.begin(), m_clips.end(),
                       [&](const PlayedClip& clip) { return m_cache.find(keyOf(clip, frame)) != nullptr; });
}

FrameKey ClipPlayer::keyOf(const PlayedClip& clip, int frame) const {
    return {clip.file, std::clamp(frame, 0, std::max(clip.frames - 1, 0)), clip.box};
}

void ClipPlayer::requestFrames() {
    std::vector<DecodeJob> jobs;
    std::vector<std::pair<int, DecodeJob>> ahead;
    for (const PlayedClip& clip : m_clips) {
        const FrameKey now = keyOf(clip, m_playhead.frame());
        if (!m_cache.find(now)) jobs.push_back({now.file, now.box, {now.frame}});
        int distance = 0;
        if (DecodeJob job = readAhead(clip, distance); !job.frames.empty())
            ahead.emplace_back(distance, std::move(job));
    }
    // The clip that will run dry first comes first.
    std::stable_sort(ahead.begin(), ahead.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [distance, job] : ahead) jobs.push_back(std::move(job));
    m_pool.setJobs(std::move(jobs));
}

DecodeJob ClipPlayer::readAhead(const PlayedClip& clip, int& distance) {
    DecodeJob job{clip.file, clip.box, {}};
    const int reach = std::min(kAhead, m_playhead.length() - 1);
    for (int d = 1; d <= reach && static_cast<int>(job.frames.size()) < kBatch; ++d) {
        const int frame = m_playhead.following(d);
        if (frame < 0) break;
        const FrameKey key = keyOf(clip, frame);
        if (m_cache.find(key)) continue;
        if (job.frames.empty()) distance = d;
        job.frames.push_back(key.frame);
    }
    // Backwards too a clip is decoded forwards, a batch at a time: each batch costs one seek.
    std::sort(job.frames.begin(), job.frames.end());
    job.frames.erase(std::unique(job.frames.begin(), job.frames.end()), job.frames.end());
    return job;
}

void ClipPlayer::onDecoded(const std::vector<DecodedFrame>& frames) {
    bool visible = false;
    for (const DecodedFrame& frame : frames) {
        visible = visible || std::any_of(m_clips.begin(), m_clips.end(), [&](const PlayedClip& clip) {
                      return frame.key == keyOf(clip, m_playhead.frame());
                  });
        m_cache.insert(frame);
    }
    requestFrames();
    m_playhead.framesArrived();
    if (visible) emit pictureChanged();
}

}  // namespace dailies::ui
