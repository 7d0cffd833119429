#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <stop_token>
#include <vector>

namespace dailies::quality {

/// What two clips are at one moment, the first being the reference (see similarity.h and change.h). NaN:
/// there is no such value, as the motion into the first frame.
struct FrameComparison {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double psnr = kNone;  ///< dB; infinity where the frames are equal
    double ssim = kNone;
    double referenceMotion = kNone, motion = kNone;    ///< levels of luma
    double referenceFlicker = kNone, flicker = kNone;  ///< levels of luma
};

/// A clip of a comparison.
struct ComparedFile {
    std::filesystem::path file;
    int offset = 0;  ///< frames by which it is ahead of the clock
    bool operator==(const ComparedFile&) const = default;
};

/// Compares what two clips show at the same time, tick by tick of the clock that plays both
/// (`video::combinedTiming`), from its beginning until either has ended, at the reference's size. A tick at
/// which one has no frame is one without values. Motion and flicker are those of a clip's own frames, for as
/// long as each is shown. Hands over everything known so far, at most every `batch` ticks and at the end.
/// Throws `Error` when a file cannot be read, `Cancelled`. A worker's: a pair of 512 × 512 frames takes some
/// 10 ms.
void compareClips(const ComparedFile& reference, const ComparedFile& clip, int batch,
                  const std::function<void(const std::vector<FrameComparison>&)>& take,
                  const std::stop_token& stop = {});

}  // namespace dailies::quality
