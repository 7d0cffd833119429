#pragma once

#include <memory>
#include <vector>

namespace dailies::video {

class ClipReader;

/// When each frame of a clip is shown: frame n from `secondsOf(n)` until the next frame's time, frame 0 from
/// 0. Copies share their times, so passing one by value is cheap.
class ClipTiming {
public:
    ClipTiming() = default;  ///< no frames

    /// Frame n at n / fps. A rate of 0 (one picture, a file that does not say) counts as one frame a second.
    static ClipTiming constantRate(int frames, double fps);
    /// A variable frame rate: one time a frame, ascending from 0; `fps` is the average.
    static ClipTiming variableRate(std::vector<double> seconds, double fps);

    int frames() const { return m_frames; }
    double fps() const { return m_fps; }  ///< the average
    bool isConstantRate() const { return !m_seconds; }

    /// Beyond the last frame time goes on at the average rate.
    double secondsOf(int frame) const;
    double duration() const { return secondsOf(m_frames); }  ///< until the last frame's interval ends

    /// The frame whose interval holds this time: the first one before 0, the last one after the end; 0 when
    /// there are none. Containers round times (Matroska to a millisecond), so a frame that begins within a
    /// millisecond counts as begun.
    int frameAt(double seconds) const;

    /// The same clip with further frames at the average rate until it lasts that long; never shorter.
    ClipTiming extendedTo(double seconds) const;

    bool operator==(const ClipTiming&) const = default;  ///< times are the same ones, not equal ones

private:
    int m_frames = 0;
    double m_fps = 1;
    std::shared_ptr<const std::vector<double>> m_seconds;  ///< null: steady
};

/// The timing of one clock over several clips: that of the fastest one that moves, of equally fast ones one
/// that lacks no frame on its way, until the longest has ended. Frameless when all are.
ClipTiming combinedTiming(const std::vector<ClipTiming>& clips);

/// When an open file's frames are shown.
ClipTiming timingOf(const ClipReader& reader);

}  // namespace dailies::video
