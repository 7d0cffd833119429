#pragma once

#include "core/video/clip_file.h"
#include "core/video/libav.h"

#include <cstdint>
#include <vector>

namespace dailies::video {

/// How a stored picture is turned to be shown: a stored pixel (x, y) is shown at (a·x + c·y, b·x + d·y), up
/// to a shift.
struct Orientation {
    int a = 1, b = 0, c = 0, d = 1;

    bool isTransposed() const { return a == 0; }
    bool isUpright() const { return a == 1 && d == 1; }
};

/// The turn that the stream's display matrix asks for; upright when it has none or one that is no multiple of
/// 90°.
Orientation orientationOf(const AVStream& stream);

/// Turns decoded frames into RGB of a wanted size.
class FrameConverter {
public:
    explicit FrameConverter(Orientation orientation);

    /// Throws `Error` when the pixel format cannot be converted.
    void convert(const AVFrame& frame, const PixelBuffer& buffer);

private:
    using ScalerPtr = std::unique_ptr<SwsContext, decltype(&sws_freeContext)>;

    void scale(const AVFrame& frame, const PixelBuffer& buffer);
    void scaleExact(const AVFrame& frame, const PixelBuffer& buffer, AVPixelFormat format, int flags);

    Orientation m_orientation;
    ScalerPtr m_scaler{nullptr, &sws_freeContext};
    std::vector<std::uint8_t> m_upright;  ///< scratch: the scaled picture before it is turned
    std::vector<std::uint8_t> m_small;    ///< scratch: the picture in its own size before it is enlarged
    std::vector<std::uint8_t> m_alpha;    ///< scratch: the picture with its transparency
    std::vector<std::uint8_t> m_padded;   ///< scratch: the picture with room at the end of its rows
};

}  // namespace dailies::video
