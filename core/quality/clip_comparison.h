#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <stop_token>
#include <vector>

namespace dailies::quality {

/// What two clips are at one frame, the first being the reference (see similarity.h and change.h). NaN: there
/// is no such value, as the motion into the first frame.
struct FrameComparison {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double psnr = kNone;  ///< dB; infinity where the frames are equal
    double ssim = kNone;
    double referenceMotion = kNone, motion = kNone;    ///< levels of luma
    double referenceFlicker = kNone, flicker = kNone;  ///< levels of luma
};

/// Compares frame n of a clip with frame n of the reference, as far as both go, at the reference's size.
/// Hands over everything known so far, at most every `batch` frames and at the end. Throws `Error` when a
/// file cannot be read, `Cancelled`. A worker's: a pair of 512 × 512 frames takes some 10 ms.
void compareClips(const std::filesystem::path& reference, const std::filesystem::path& clip, int batch,
                  const std::function<void(const std::vector<FrameComparison>&)>& take,
                  const std::stop_token& stop = {});

}  // namespace dailies::quality
