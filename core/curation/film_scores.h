#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::curation {

/// Pixels of a film as it is shown, from its upper left corner.
struct Box {
    int x = 0, y = 0, width = 0, height = 0;
    bool operator==(const Box&) const = default;
};

/// What two frames a second are looked at for in their own size.
struct PictureSample {
    int frame = 0;
    bool plain = false;    ///< hardly any contrast: its box says nothing
    double sharpness = 0;  ///< variance of the Laplacian of luma within the box, in squared levels
    Box box;               ///< without black bars
    bool operator==(const PictureSample&) const = default;
};

/// Everything that curation needs to know of a film, from decoding it once: cuts, clips and verdicts follow
/// from it. Numbers a frame are of the picture scaled so that its longer side has 256 pixels, luma by
/// BT.709's weights in levels of 0–255, rounded to hundredths (shares to
/// ten-thousandths); of a damaged frame they are 0, and so are
/// differences from it.
struct FilmScores {
    int width = 0, height = 0;  ///< as shown
    int frames = 0;
    double fps = 0;  ///< average
    std::string codec;
    std::vector<double> seconds;  ///< when each frame is shown; empty: n / fps

    /// Mean of what hue (0–179), saturation and value (0–255) differ from the frame before, of OpenCV's 8-bit
    /// HSV: PySceneDetect's `content_val` with its default weights.
    std::vector<double> content;
    /// Mean absolute difference of luma from the frame before. FFmpeg's scdet is min(c, |c − c before|) of it
    /// in percent of 255.
    std::vector<double> change;
    /// The same of luma blurred by the 5-tap Gaussian of VMAF's motion feature, which grain hardly moves.
    std::vector<double> motion;
    std::vector<double> luma, deviation;  ///< mean and standard deviation
    std::vector<double> black, white;     ///< share of pixels with a luma of at most 25, or at least 230
    /// Where the picture jumps, how nearly the one that it jumps from comes back within 8 frames, or the one
    /// that it jumps to was there within the 8 before: 1 for a flash in a still scene, 0 for a cut.
    std::vector<double> flash;
    /// By how many levels luma 6, 10 or 16 frames before and after differ beyond twice what the frame between
    /// them differs from their mean: the depth of a dissolve in its middle, falling to 0 at both ends of it;
    /// 0 where there is a cut between, and where the two pictures are alike in structure, as in fades and in
    /// light that changes.
    std::vector<double> dissolve;

    /// dHash (Krawetz's "difference hash") of what lies within black bars: 9 × 8 means of luma, a bit where
    /// the right neighbour is brighter by more than two levels, so that noise sets no bit in a wall or a sky;
    /// the upper left pair in the highest bit.
    std::vector<std::uint64_t> hashes;

    std::vector<PictureSample> samples;
    std::vector<int> damaged;  ///< frames that could not be decoded, ascending

    /// When a frame is shown; that of `frames` is the film's end.
    double secondsOf(int frame) const;
    bool operator==(const FilmScores&) const = default;
};

}  // namespace dailies::curation
