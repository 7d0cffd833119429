#pragma once

#include "core/quality/change.h"
#include "core/quality/finding.h"
#include "core/quality/frame_stats.h"
#include "core/quality/tile_seam_detector.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

namespace dailies::quality {

/// Grows whenever the checks or their thresholds change, so that clips checked by older ones are checked
/// again.
inline constexpr int kChecksRevision = 1;

/// The automatic checks of one clip, frame by frame. They report
/// - noise: a frame that `looksLikeNoise`;
/// - flat: luma whose standard deviation is below 1.5 levels, neither black nor white;
/// - black: 98 % of the pixels are dark (FFmpeg's `blackdetect`);
/// - saturated: 98 % of the pixels are white, or 40 % are vivid (see `FrameStats`);
/// - frozen: motion of at most 0.255 levels for half a second and four frames (FFmpeg's `freezedetect`);
/// - flicker: 3 levels or more of `flicker` in a quarter of the frames;
/// - cut: FFmpeg's `scdet` score reaches 10 % (its own default);
/// - seam: motion of 2 levels or more that stands 2.5 × above that of three frames on either side, at two or
///   more evenly spaced frames, or 5 × at one; or lines that `TileSeamDetector` finds.
///
/// What concerns three quarters of a clip is a failure (cut, flicker below 12 levels and seam: never), else a
/// warning. A clip that is mostly noise is not reported as flickering, cut or seamed too.
class ClipChecks {
public:
    /// `frames` and `fps` as the file says them; 0 fps: not known.
    ClipChecks(int frames, double fps);

    /// The next frame. Throws std::invalid_argument for a size that is not that of the first.
    void add(const PictureView& picture);
    std::vector<Finding> findings() const;  ///< the worst first, then by frame

private:
    bool isBlank(std::size_t frame) const;

    int m_frames;
    double m_fps;
    std::vector<FrameStats> m_facts;
    std::vector<double> m_motion;   ///< into frame n; 0 for the first
    std::vector<double> m_flicker;  ///< of frame n; 0 for the first and last
    Luma m_lastLuma;
    LumaBlocks m_lastBlocks, m_blocksBefore;
    TileSeamDetector m_seams;
};

/// Checks a file. What cannot be read is itself a finding; the frames before it are checked. Throws
/// `Cancelled`. A second of 512 × 512 at 24 fps takes some 70 ms of one core.
std::vector<Finding> checkClip(const std::filesystem::path& file, const std::stop_token& stop = {});

}  // namespace dailies::quality
