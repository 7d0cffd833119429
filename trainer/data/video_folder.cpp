#include "trainer/data/video_folder.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "trainer/data/file_stamp.h"
#include "trainer/tensors/random.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

/// What a video is called by: its file, or the folder around that of its frames.
fs::path calledBy(const fs::path& file) {
    std::error_code ignored;
    return fs::is_directory(file, ignored) ? file.parent_path() : file;
}

/// By the video's name alone, wherever it lies.
int referenceOf(const fs::path& file, int frames, const std::vector<int>& clip) {
    const auto key = hashText(calledBy(file).filename().string() + "|" + std::to_string(clip.front()));
    return referenceFrame(frames, clip.front(), clip.back(), key);
}

std::string captionOf(const fs::path& file) {
    const auto text = fs::path(file).replace_extension(".txt");
    std::error_code ignored;
    std::string caption = fs::is_regular_file(text, ignored) ? readFile(text) : file.stem().string();
    if (!fs::is_regular_file(text, ignored))
        std::ranges::replace_if(
            caption, [](char c) { return c == '_' || c == '-'; }, ' ');
    std::ranges::replace_if(
        caption, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return std::string(trim(caption));
}

}  // namespace

VideoFolder::VideoFolder(const config::TrainConfig::Data& data, std::int64_t cacheBytes,
                         const std::vector<std::string>& guidanceTypes, const PoseStyle& style)
    : m_folder(std::filesystem::is_directory(data.folder) ? fs::path(data.folder)
                                                          : fs::path(data.folder).parent_path()),
      m_style(style),
      m_frames(static_cast<int>(data.frames)),
      m_height(static_cast<int>(data.height)),
      m_width(static_cast<int>(data.width)),
      m_stride(static_cast<int>(data.frame_stride)) {
    const auto files = listVideos(data, guidanceTypes);
    for (const auto& listed : files) m_drawings = std::max(m_drawings, listed.poses.size());
    for (const auto& listed : files) {
        try {
            addVideo(listed);
        } catch (const Error& error) {
            m_problems.push_back(error.full());
            ++m_facts.dropped["too short or cannot be read"];
        }
    }
    m_facts.found = static_cast<std::int64_t>(files.size());
    m_facts.used = static_cast<std::int64_t>(m_videos.size());
    const auto drawings = static_cast<std::int64_t>(m_drawings);
    const std::int64_t frames = hasPoses() ? (1 + drawings) * m_frames + 1 : m_frames;
    const auto bytes = static_cast<std::int64_t>(m_clips.size()) * frames * m_height * m_width * 3;
    if (bytes <= cacheBytes) decodeAll();
    if (m_clips.empty())
        throw InputError("data.folder: no usable video below " + m_folder.string() + " (" +
                             std::to_string(files.size()) + " video files found" +
                             (m_problems.empty() ? ")." : "):\n  " + join(m_problems, "\n  ")),
                         "Put videos of at least " + std::to_string((m_frames - 1) * m_stride + 1) +
                             " frames there, or ask for fewer data.frames.");
    measureScale();
}

void VideoFolder::addVideo(const ListedVideo& listed) {
    const auto& file = listed.file;
    if (listed.poses.size() < m_drawings)
        throw Error(file.string() + ": the list names " +
                    (listed.poses.empty() ? "no poses of it." : "not all drawings of its poses."));
    std::error_code unknown;
    if (listed.span && !fs::exists(file, unknown))
        throw Error("The film " + file.string() + " is not there.");
    // of a film's stretch its curation knows them: it does not have to be opened
    const int frames = listed.span ? listed.span->frames : framesIn(listed);
    const int first = listed.span ? listed.span->first : 0, span = (m_frames - 1) * m_stride + 1;
    if (frames < span)
        throw Error(file.string() + ": has " + std::to_string(frames) + " frames, but a clip needs " +
                    std::to_string(span) + ".");
    m_videos.push_back({file, listed.caption ? *listed.caption : captionOf(calledBy(file)), frames,
                        fileStamp(file), listed.poses, listed.span, listed.lossMask});
    for (int at = 0; at + span <= frames; at += m_frames * m_stride)
        m_clips.push_back({m_videos.size() - 1, first + at});
}

int VideoFolder::framesIn(const ListedVideo& listed) {
    const PosedVideo video(listed.file, listed.poses, {}, listed.lossMask, m_style);
    if (auto note = video.note(); !note.empty()) m_problems.push_back(std::move(note));
    return video.frames();
}

void VideoFolder::decodeAll() {
    std::erase_if(m_clips, [&](ClipLocation& place) {
        try {
            auto& video = opened(place.video);
            place.decoded = decode(video, place);
            place.guide = decodeGuide(video, place);
            return false;
        } catch (const Error& error) {
            m_problems.push_back(error.full());
            return true;
        }
    });
    m_open.reset();
}

PosedVideo& VideoFolder::opened(std::size_t video) {
    if (!m_open || m_openVideo != video) {
        const auto& known = m_videos[video];
        m_open.emplace(known.file, known.poses, known.part(), known.lossMask, m_style);
        m_openVideo = video;
    }
    return *m_open;
}

std::vector<int> VideoFolder::framesOf(int first, std::int64_t count) const {
    std::vector<int> frames;
    for (int t = 0; t < count; ++t) frames.push_back(first + t * m_stride);
    return frames;
}

RgbClip VideoFolder::decode(PosedVideo& video, const ClipLocation& place) const {
    return video.clip(framesOf(place.firstFrame, m_frames), m_height, m_width);
}

std::optional<CharacterGuide> VideoFolder::decodeGuide(PosedVideo& video, const ClipLocation& place) const {
    if (!hasPoses()) return std::nullopt;
    const auto frames = framesOf(place.firstFrame, m_frames);
    return video.guide(frames, referenceOf(m_videos[place.video].file, video.frames(), frames), m_height,
                       m_width);
}

std::optional<CharacterGuide> VideoFolder::guideOf(const std::string& prompt, std::int64_t seed,
                                                   std::int64_t frames) const {
    std::vector<const ClipLocation*> captioned;
    for (const auto& place : m_clips)
        if (m_videos[place.video].caption == prompt) captioned.push_back(&place);
    if (captioned.empty()) return std::nullopt;
    const auto& place = *captioned[static_cast<std::uint64_t>(seed) % captioned.size()];
    const auto& video = m_videos[place.video];
    const auto span = (frames - 1) * m_stride + 1;
    if (!hasPoses() || video.frames < span) return std::nullopt;
    const auto chosen = framesOf(std::min(place.firstFrame, video.frames - static_cast<int>(span)), frames);
    const auto reference =
        referenceOf(video.file, video.frames, framesOf(place.firstFrame, m_frames));  // as it trains
    return PosedVideo(video.file, video.poses, {}, {}, m_style).guide(chosen, reference, m_height, m_width);
}

void VideoFolder::measureScale() {
    constexpr std::size_t kMeasured = 64;
    constexpr double kMinDeviation = 0.05;
    const auto stride = std::max<std::size_t>(1, m_clips.size() / kMeasured);
    ScaleMeasure measure(1);
    for (std::size_t i = 0; i < m_clips.size(); i += stride)
        measure.add(example(static_cast<std::int64_t>(i)).clip.rgb,
                    [](auto byte) { return byte / 127.5 - 1; });
    m_scale = measure.scale(kMinDeviation);
}

Example VideoFolder::example(std::int64_t index) {
    for (std::size_t tried = 0; tried < m_clips.size(); ++tried) {
        const auto& place = m_clips[(static_cast<std::size_t>(index) + tried) % m_clips.size()];
        const auto& caption = m_videos[place.video].caption;
        if (!place.decoded.rgb.empty())
            return {.clip = place.decoded, .caption = caption, .guide = place.guide};
        const std::lock_guard lock(m_mutex);
        try {
            auto& video = opened(place.video);
            auto clip = decode(video, place);
            return {.clip = std::move(clip), .caption = caption, .guide = decodeGuide(video, place)};
        } catch (const Error& error) {
            m_problems.push_back(error.full());
            m_open.reset();
        }
    }
    throw Error("data.folder: no clip below " + m_folder.string() + " can be decoded any more.");
}

Example VideoFolder::withoutPixels(std::int64_t index) {
    const auto& place = m_clips[static_cast<std::size_t>(index)];
    const auto& caption = m_videos[place.video].caption;
    if (!place.decoded.rgb.empty()) return {.caption = caption, .guide = place.guide};
    if (!hasPoses()) return {.caption = caption};
    const std::lock_guard lock(m_mutex);
    return {.caption = caption, .guide = decodeGuide(opened(place.video), place)};
}

std::string VideoFolder::identity(std::int64_t index) const {
    const auto& place = m_clips[static_cast<std::size_t>(index)];
    const auto& video = m_videos[place.video];
    std::string text = video.file.string() + "|" + video.stamp;
    for (const auto number : {place.firstFrame, m_frames, m_height, m_width, m_stride})
        text += "|" + std::to_string(number);
    if (const auto part = video.part())
        for (const auto number : {part->x, part->y, part->width, part->height})
            text += "|" + std::to_string(number);
    return text;
}

std::string VideoFolder::origin(std::int64_t index) const {
    const auto& place = m_clips[static_cast<std::size_t>(index)];
    const auto& video = m_videos[place.video];
    auto text = video.file.lexically_relative(m_folder).string() + ", frames " +
                std::to_string(place.firstFrame) + "–" +
                std::to_string(place.firstFrame + (m_frames - 1) * m_stride);
    if (m_stride > 1) text += ", 1 of " + std::to_string(m_stride);
    if (const auto part = video.part())
        text += ", " + std::to_string(part->width) + " × " + std::to_string(part->height) + " at " +
                std::to_string(part->x) + ", " + std::to_string(part->y);
    return text;
}

std::vector<std::string> VideoFolder::parts() const {
    std::vector<std::int64_t> clips(m_videos.size());
    for (const auto& place : m_clips) ++clips[place.video];
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < m_videos.size(); ++i) {
        const auto& video = m_videos[i];
        auto name = video.file.lexically_relative(m_folder).string();
        if (video.part()) name += ":" + std::to_string(video.span->first);
        parts.push_back(name + " " + std::to_string(clips[i]));
    }
    return parts;
}

std::vector<std::string> VideoFolder::captions() const {
    std::set<std::string> distinct;
    for (const auto& place : m_clips) distinct.insert(m_videos[place.video].caption);
    return {distinct.begin(), distinct.end()};
}

std::vector<std::string> VideoFolder::takeProblems() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_problems, {});
}

}  // namespace dailies::trainer
