#pragma once

namespace dailies::video {

/// Which matrix turns R'G'B' into Y'CbCr where a file does not say: BT.709 for high definition, BT.601 below
/// it. The rule that players follow (mpv's, for one), so that untagged footage and our own .y4m files look
/// the same here and there.
inline bool usesBt709(int width, int height) {
    return width >= 1280 || height > 576;
}

}  // namespace dailies::video
