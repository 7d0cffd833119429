#pragma once

#include "trainer/data/pose_drawing.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace dailies::trainer {

/// Key points of a video, as OpenPose and DWPose write them.
struct Keypoints {
    /// One a frame: of several people in it the largest; none where there is nobody.
    std::vector<std::optional<Person>> frames;
    int width = 0, height = 0;  ///< of the pictures they were found in; 0: the file does not say
    int crowded = 0;            ///< frames with several people
};

/// Whether this is a file of key points, or a folder that holds one for each frame.
bool isKeypoints(const std::filesystem::path& path);

/// Reads a folder of OpenPose's NAME_keypoints.json, in the order of their names, or one file that holds a
/// list of such frames. Bodies have 18 points (COCO) or 25 (BODY_25), hands 21, faces any number, three
/// numbers a point: x, y and how sure it is. Points are pixels of `canvas_width` × `canvas_height`, else of
/// `width` × `height`, or all 0 … 1. Throws `Error` that names the file: for what is none of that, for pixels
/// of a size that nothing tells, and where there is nobody in any frame.
Keypoints readKeypoints(const std::filesystem::path& path, int width = 0, int height = 0);

}  // namespace dailies::trainer
