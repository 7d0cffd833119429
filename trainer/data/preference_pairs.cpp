#include "trainer/data/preference_pairs.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "trainer/data/file_stamp.h"
#include "trainer/data/posed_video.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

struct ListedPair {
    fs::path better, worse;
    std::string prompt;
};

/// Throws `Error` with what is wrong with the line.
ListedPair pairOf(const std::string& line, const fs::path& folder) {
    const auto json = parseJson(line, "the line");
    const auto text = [&](const char* key) {
        const auto value = json.is_object() ? json.value(key, Json()) : Json();
        if (!value.is_string() || value.get<std::string>().empty())
            throw Error(std::string("it has no text as \"") + key + "\"");
        return value.get<std::string>();
    };
    return {folder / text("better"), folder / text("worse"), text("prompt")};
}

}  // namespace

PreferencePairs::PreferencePairs(const config::TrainConfig::Data& data)
    : m_frames(static_cast<int>(data.frames)),
      m_height(static_cast<int>(data.height)),
      m_width(static_cast<int>(data.width)),
      m_stride(static_cast<int>(data.frame_stride)) {
    const fs::path list = data.folder;
    std::istringstream lines;
    try {
        lines.str(readFile(list));
    } catch (const Error& error) {
        throw InputError("data.folder: " + std::string(error.what()),
                         "Name the file that dailies export --what preferences wrote.");
    }
    std::int64_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (trim(line).empty()) continue;
        ++m_facts.found;
        try {
            const auto pair = pairOf(line, list.parent_path());
            auto better = usable(pair.better, pair.prompt), worse = usable(pair.worse, pair.prompt);
            m_clips.push_back(std::move(better));
            m_clips.push_back(std::move(worse));
            ++m_facts.used;
        } catch (const Error& error) {
            m_problems.push_back("Line " + std::to_string(number) + " of " + list.string() +
                                 " is left out: " + error.full());
            ++m_facts.dropped["a clip is too short or cannot be read"];
        }
    }
    if (m_clips.empty())
        throw InputError("data.folder: no usable pair of clips in " + list.string() +
                             (m_problems.empty() ? "." : ":\n  " + join(m_problems, "\n  ")),
                         "Each line is such as {\"prompt\": \"a cat\", \"better\": \"a.mp4\", \"worse\": "
                         "\"b.mp4\"}, of clips of at least " +
                             std::to_string((m_frames - 1) * m_stride + 1) + " frames.");
    measureScale();
}

PreferencePairs::Clip PreferencePairs::usable(const fs::path& file, const std::string& caption) const {
    const auto frames = PosedVideo(file, {}).frames(), span = (m_frames - 1) * m_stride + 1;
    if (frames < span)
        throw Error(file.string() + ": has " + std::to_string(frames) + " frames, but a clip needs " +
                    std::to_string(span) + ".");
    return {file, caption, fileStamp(file)};
}

Example PreferencePairs::example(std::int64_t index) {
    std::vector<int> frames;
    for (int t = 0; t < m_frames; ++t) frames.push_back(t * m_stride);
    return {.clip = PosedVideo(at(index).file, {}).clip(frames, m_height, m_width),
            .caption = at(index).caption};
}

Example PreferencePairs::withoutPixels(std::int64_t index) {
    return {.caption = at(index).caption};
}

std::string PreferencePairs::identity(std::int64_t index) const {
    auto text = at(index).file.string() + "|" + at(index).stamp;
    for (const auto number : {m_frames, m_height, m_width, m_stride}) text += "|" + std::to_string(number);
    return text;
}

std::string PreferencePairs::origin(std::int64_t index) const {
    return at(index).file.string();
}

std::vector<std::string> PreferencePairs::parts() const {
    std::vector<std::string> parts;
    for (const auto& clip : m_clips) parts.push_back(clip.file.string() + " 1");
    return parts;
}

std::vector<std::string> PreferencePairs::captions() const {
    std::set<std::string> distinct;
    for (const auto& clip : m_clips) distinct.insert(clip.caption);
    return {distinct.begin(), distinct.end()};
}

void PreferencePairs::measureScale() {
    constexpr std::size_t kMeasured = 16;
    constexpr double kMinDeviation = 0.05;
    const auto stride = std::max<std::size_t>(1, m_clips.size() / kMeasured);
    ScaleMeasure measure(1);
    for (std::size_t i = 0; i < m_clips.size(); i += stride)
        measure.add(example(static_cast<std::int64_t>(i)).clip.rgb,
                    [](auto byte) { return byte / 127.5 - 1; });
    m_scale = measure.scale(kMinDeviation);
}

std::vector<std::string> PreferencePairs::takeProblems() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_problems, {});
}

}  // namespace dailies::trainer
