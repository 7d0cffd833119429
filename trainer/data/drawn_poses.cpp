#include "trainer/data/drawn_poses.h"

#include "core/base/counts.h"
#include "trainer/data/clip_cutter.h"

#include <algorithm>
#include <utility>

namespace dailies::trainer {

namespace {

std::variant<video::ClipReader, Keypoints> open(const std::filesystem::path& file, int width, int height) {
    if (isKeypoints(file)) return readKeypoints(file, width, height);
    return video::ClipReader(file);
}

RgbClip blackClip(std::size_t frames, int height, int width) {
    RgbClip clip{static_cast<int>(frames), height, width, {}};
    clip.rgb.resize(frames * clip.frameBytes());
    return clip;
}

}  // namespace

DrawnPoses::DrawnPoses(const std::filesystem::path& file, const PoseStyle& style, int width, int height)
    : m_file(file), m_style(style), m_source(open(file, width, height)) {}

DrawnPoses::DrawnPoses(const std::filesystem::path& file, Keypoints points, const PoseStyle& style)
    : m_file(file), m_style(style), m_source(std::move(points)) {}

int DrawnPoses::frames() const {
    if (const auto* points = std::get_if<Keypoints>(&m_source))
        return static_cast<int>(points->frames.size());
    return std::get<video::ClipReader>(m_source).info().frames;
}

int DrawnPoses::width() const {
    const auto* points = std::get_if<Keypoints>(&m_source);
    return points ? points->width : std::get<video::ClipReader>(m_source).info().width;
}

int DrawnPoses::height() const {
    const auto* points = std::get_if<Keypoints>(&m_source);
    return points ? points->height : std::get<video::ClipReader>(m_source).info().height;
}

/// As `cutClip` cuts pictures. Of an unknown shape they are the clip's own.
PicturePlace DrawnPoses::placeIn(int height, int width) const {
    const auto& points = std::get<Keypoints>(m_source);
    if (points.width <= 0 || points.height <= 0) return {0, 0, double(width), double(height)};
    const double scale = std::max(double(width) / points.width, double(height) / points.height);
    const double all = points.width * scale, high = points.height * scale;
    return {(width - all) / 2, (height - high) / 2, all, high};
}

RgbClip DrawnPoses::clip(const std::vector<int>& frames, int height, int width) {
    if (auto* reader = std::get_if<video::ClipReader>(&m_source))
        return cutClip(*reader, frames, height, width);
    auto drawn = blackClip(frames.size(), height, width);
    const auto place = placeIn(height, width);
    const auto& people = std::get<Keypoints>(m_source).frames;
    for (std::size_t i = 0; i < frames.size(); ++i)
        if (const auto& person = people.at(static_cast<std::size_t>(frames[i])))
            drawPerson(drawn, static_cast<int>(i), *person, place, m_style);
    return drawn;
}

std::optional<RgbClip> DrawnPoses::sureHands(const std::vector<int>& frames, int height, int width) const {
    const auto* points = std::get_if<Keypoints>(&m_source);
    if (!points) return std::nullopt;
    auto mask = blackClip(frames.size(), height, width);
    const auto place = placeIn(height, width);
    for (std::size_t i = 0; i < frames.size(); ++i)
        if (const auto& person = points->frames.at(static_cast<std::size_t>(frames[i])))
            fillSureHands(mask, static_cast<int>(i), *person, place);
    return mask;
}

std::string DrawnPoses::note() const {
    const auto* points = std::get_if<Keypoints>(&m_source);
    if (!points || points->crowded == 0) return {};
    return m_file.string() + ": " + pluralize(points->crowded, "frame has", "frames have") +
           " several people; the largest of them is drawn.";
}

}  // namespace dailies::trainer
