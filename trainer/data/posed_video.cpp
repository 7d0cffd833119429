#include "trainer/data/posed_video.h"

#include "core/base/error.h"
#include "trainer/data/clip_cutter.h"
#include "trainer/data/video_list.h"
#include "trainer/tensors/random.h"

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

constexpr double kShapeTolerance = 0.02;  // of the sides' ratio: tools round sides to multiples

/// Of what belongs to a video's frames, one for each.
struct DrawnSize {
    int frames = 0, width = 0, height = 0;
};

std::string sizeText(int width, int height) {
    return std::to_string(width) + " × " + std::to_string(height);
}

}  // namespace

PosedVideo::PosedVideo(const std::filesystem::path& video, const std::vector<std::filesystem::path>& poses,
                       const std::optional<curation::Box>& part, const std::filesystem::path& lossMask,
                       const PoseStyle& style)
    : m_video(video), m_part(part), m_posesReference(style.ofReference && !poses.empty()) {
    const auto& info = m_video.info();
    const auto requireFits = [&](const std::filesystem::path& file, const DrawnSize& drawn,
                                 const std::string& what) {
        if (info.frames != drawn.frames)
            throw Error(file.string() + ": has " + std::to_string(drawn.frames) + " frames of " + what +
                            ", but " + video.string() + " has " + std::to_string(info.frames) + ".",
                        "Draw the " + what + " of every frame.");
        const double ratio =
            static_cast<double>(info.width) * drawn.height / (drawn.width * double(info.height));
        if (std::abs(ratio - 1) > kShapeTolerance)
            throw Error(file.string() + ": is " + sizeText(drawn.width, drawn.height) + " pixels, but " +
                            video.string() + " is " + sizeText(info.width, info.height) + ".",
                        "Draw the " + what + " in the video's own shape.");
    };
    for (const auto& file : poses) {
        const auto& drawn = m_poses.emplace_back(file, style, info.width, info.height);
        requireFits(file, {drawn.frames(), drawn.width(), drawn.height()}, "poses");
    }
    m_masksHands = lossMask == kSureHands;
    if (m_masksHands && (poses.size() != 1 || !isKeypoints(poses.front())))
        throw Error(video.string() + ": its poses are drawings, which do not tell how sure hands are.",
                    "Give key points as poses, or a folder of masks as data.loss_masks.");
    if (m_masksHands || lossMask.empty()) return;
    const auto& masks = m_lossMask.emplace(lossMask).info();
    requireFits(lossMask, {masks.frames, masks.width, masks.height}, "masks");
}

std::string PosedVideo::note() const {
    for (const auto& drawn : m_poses)
        if (auto note = drawn.note(); !note.empty()) return note;
    return {};
}

RgbClip PosedVideo::clip(const std::vector<int>& frames, int height, int width) {
    return cutClip(m_video, frames, height, width, m_part);
}

CharacterGuide PosedVideo::guide(const std::vector<int>& frames, int reference, int height, int width) {
    CharacterGuide guide{.reference = clip({reference}, height, width), .poses = {}};
    for (auto& drawn : m_poses) guide.poses.push_back(drawn.clip(frames, height, width));
    if (m_posesReference) guide.referencePose = m_poses.front().clip({reference}, height, width);
    if (m_masksHands) guide.lossMask = m_poses.front().sureHands(frames, height, width).value();
    if (m_lossMask) guide.lossMask = cutClip(*m_lossMask, frames, height, width);
    return guide;
}

int referenceFrame(int frames, int first, int last, std::uint64_t key) {
    constexpr int kAway = 30;
    Random random(key);
    const auto choose = [&](int count) {
        return static_cast<int>(random.below(static_cast<std::uint64_t>(count)));
    };
    for (const int away : {kAway, 1}) {
        const int before = std::max(0, first - away + 1), behind = std::max(0, frames - last - away);
        if (before + behind == 0) continue;
        const int chosen = choose(before + behind);
        return chosen < before ? chosen : last + away + chosen - before;
    }
    return choose(frames);
}

}  // namespace dailies::trainer
