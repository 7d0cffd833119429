#include "core/video/clip_timing.h"

#include "core/video/clip_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dailies::video {

namespace {

constexpr double kRounding = 0.001;  ///< seconds: what containers round times to

bool leads(const ClipTiming& timing, const ClipTiming& other) {
    constexpr double kSameRate = 1.01;
    const bool moves = timing.frames() > 1, otherMoves = other.frames() > 1;
    if (other.frames() == 0 || moves != otherMoves) return moves || other.frames() == 0;
    if (timing.fps() > other.fps() * kSameRate) return true;
    return timing.fps() * kSameRate > other.fps() && timing.isConstantRate() && !other.isConstantRate();
}

}  // namespace

ClipTiming ClipTiming::constantRate(int frames, double fps) {
    ClipTiming timing;
    timing.m_frames = std::max(frames, 0);
    timing.m_fps = fps > 0 ? fps : 1;
    return timing;
}

ClipTiming ClipTiming::variableRate(std::vector<double> seconds, double fps) {
    ClipTiming timing = constantRate(static_cast<int>(seconds.size()), fps);
    timing.m_seconds = std::make_shared<const std::vector<double>>(std::move(seconds));
    return timing;
}

double ClipTiming::secondsOf(int frame) const {
    if (!m_seconds || m_seconds->empty()) return frame / m_fps;
    const int known = static_cast<int>(m_seconds->size());
    if (frame < known) return (*m_seconds)[static_cast<std::size_t>(std::max(frame, 0))];
    return m_seconds->back() + (frame - known + 1) / m_fps;
}

int ClipTiming::frameAt(double seconds) const {
    if (m_frames == 0) return 0;
    const double time = seconds + std::min(kRounding, 0.25 / m_fps);
    int frame = 0;
    if (m_seconds && time < m_seconds->back())
        frame = static_cast<int>(std::upper_bound(m_seconds->begin(), m_seconds->end(), time) -
                                 m_seconds->begin()) -
                1;
    else if (m_seconds)
        frame = static_cast<int>(m_seconds->size()) - 1 +
                static_cast<int>(std::min((time - m_seconds->back()) * m_fps, 1e9));
    else
        frame = static_cast<int>(std::clamp(std::floor(time * m_fps), 0.0, 1e9));
    return std::clamp(frame, 0, m_frames - 1);
}

ClipTiming ClipTiming::extendedTo(double seconds) const {
    ClipTiming longer = *this;
    const double missing = (seconds - duration()) * m_fps;
    // What rounding leaves over is no frame.
    if (m_frames > 0 && missing > 0.25) longer.m_frames += static_cast<int>(std::ceil(missing - 0.25));
    return longer;
}

ClipTiming combinedTiming(const std::vector<ClipTiming>& clips) {
    ClipTiming leading;
    double longest = 0;
    for (const ClipTiming& timing : clips) {
        longest = std::max(longest, timing.duration());
        if (leads(timing, leading)) leading = timing;
    }
    // A still picture lasts as long as it is looked at.
    return leading.frames() > 1 ? leading.extendedTo(longest) : leading;
}

ClipTiming timingOf(const ClipReader& reader) {
    const ClipInfo& info = reader.info();
    const double fps = info.fps > 0 ? info.fps : 1;
    std::vector<double> seconds(static_cast<std::size_t>(info.frames));
    bool steady = true;
    for (int n = 0; n < info.frames; ++n) {
        const double time = seconds[static_cast<std::size_t>(n)] = reader.seconds(n);
        steady &= std::abs(time - n / fps) <= kRounding;
    }
    return steady ? ClipTiming::constantRate(info.frames, fps)
                  : ClipTiming::variableRate(std::move(seconds), fps);
}

}  // namespace dailies::video
