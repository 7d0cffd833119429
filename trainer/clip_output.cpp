#include "trainer/clip_output.h"

#include "core/base/files.h"
#include "core/video/clip_file.h"

#include <algorithm>
#include <cstdio>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kShownSide = 256;  // small clips are enlarged: H.264 halves the resolution of colour

std::string stepFolder(std::int64_t step) {
    char name[32];
    std::snprintf(name, sizeof name, "step-%09lld", static_cast<long long>(step));
    return name;
}

std::vector<video::Frame> videoFrames(const RgbClip& clip) {
    std::vector<video::Frame> frames;
    for (int t = 0; t < clip.frames; ++t)
        frames.push_back({clip.width, clip.height, {clip.frame(t), clip.frame(t) + clip.frameBytes()}});
    return frames;
}

}  // namespace

std::string promptFileName(const std::string& prompt) {
    std::string name = prompt.empty() ? "no-prompt" : prompt.substr(0, 80);
    for (auto& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '_' || c == '-';
        if (c == ' ')
            c = '-';
        else if (!plain && (c != '.' || &c == name.data()))
            c = '_';
    }
    return name;
}

void writeClipOfRun(const std::filesystem::path& runFolder, const std::string& name, const RgbClip& clip,
                    events::Clip event, const Json& note, RunLog& log) {
    const auto folder = std::filesystem::path("clips") / stepFolder(event.step);
    event.frames = clip.frames;
    event.height = clip.height;
    event.width = clip.width;
    try {
        std::filesystem::create_directories(runFolder / folder);
        video::ClipEncoding encoding;
        encoding.fps = event.fps;
        encoding.scale =
            static_cast<int>(std::max<std::int64_t>(1, kShownSide / std::min(clip.height, clip.width)));
        const auto written =
            video::writeClip(runFolder / folder / (name + ".mp4"), videoFrames(clip), encoding);
        event.path = (folder / written.filename()).generic_string();
        writeFileAtomically(std::filesystem::path(written).replace_extension(".json"), note.dump(2) + "\n");
        log.append(event);
    } catch (const std::exception& error) {
        log.append(events::Health{"clip_not_written",
                                  "The clip of \"" + event.prompt + "\" was not written: " + error.what(),
                                  event.step});
    }
}

}  // namespace dailies::trainer
