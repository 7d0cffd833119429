#pragma once

#include "core/curation/film_scores.h"
#include "core/video/clip_file.h"
#include "trainer/data/drawn_poses.h"
#include "trainer/data/example.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace dailies::trainer {

/// A video, and where it has them those of its character's poses, drawn frame by frame. One thread at a time.
class PosedVideo {
public:
    /// `poses`: of each kind of drawing; empty for none. Throws `Error` with both names where the poses
    /// cannot be read, have another shape than the pictures or are more or fewer. `part`: what of the video's
    /// pictures there is; none: all of them.
    /// `lossMask`: of the same shape and frames as poses, or `kSureHands`, which the poses' key points tell;
    /// empty: none. `style`: what is drawn of poses, and key points how.
    PosedVideo(const std::filesystem::path& video, const std::vector<std::filesystem::path>& poses,
               const std::optional<curation::Box>& part = {}, const std::filesystem::path& lossMask = {},
               const PoseStyle& style = {});

    int frames() const { return m_video.info().frames; }

    RgbClip clip(const std::vector<int>& frames, int height, int width);
    /// What a person should know of its poses, as a sentence; empty: nothing.
    std::string note() const;

    /// What tells of the clip of these frames, which ascend: their poses and mask, and a picture of the
    /// character.
    CharacterGuide guide(const std::vector<int>& frames, int reference, int height, int width);

private:
    video::ClipReader m_video;
    std::optional<curation::Box> m_part;
    bool m_posesReference;
    std::vector<DrawnPoses> m_poses;
    std::optional<video::ClipReader> m_lossMask;
    bool m_masksHands = false;
};

/// Which frame of a video is the reference of the clip from `first` to `last`: by `key` one that is 30 frames
/// away, as Animate Anyone takes it, else one outside the clip, else any.
int referenceFrame(int frames, int first, int last, std::uint64_t key);

}  // namespace dailies::trainer
