#pragma once

#include "core/video/clip_file.h"
#include "trainer/data/keypoints.h"

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dailies::trainer {

/// The drawn poses of a video, frame by frame: another video, or key points, which are drawn here. One thread
/// at a time.
class DrawnPoses {
public:
    /// Of key points that have been read; `file` is the name that `note` gives them.
    DrawnPoses(const std::filesystem::path& file, Keypoints points, const PoseStyle& style);

    /// `width`, `height`: of the pictures whose poses they are, where that is known. Throws `Error` that
    /// names the file when it cannot be read.
    explicit DrawnPoses(const std::filesystem::path& file, const PoseStyle& style = {}, int width = 0,
                        int height = 0);

    int frames() const;
    int width() const;  ///< of the pictures; 0: unknown
    int height() const;

    /// Those frames, which ascend, scaled to cover width × height and cropped in the middle.
    RgbClip clip(const std::vector<int>& frames, int height, int width);
    /// Where hands are sure (`fillSureHands`); nullopt: these are no key points.
    std::optional<RgbClip> sureHands(const std::vector<int>& frames, int height, int width) const;

    /// What a person should know of them, as a sentence; empty: nothing.
    std::string note() const;

private:
    PicturePlace placeIn(int height, int width) const;

    std::filesystem::path m_file;
    PoseStyle m_style;
    std::variant<video::ClipReader, Keypoints> m_source;
};

}  // namespace dailies::trainer
