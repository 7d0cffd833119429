#include "trainer/inference/clip_output.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <algorithm>
#include <cstdio>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kShownSide = 256;  // small clips are enlarged: H.264 halves the resolution of colour

}  // namespace

std::string stepFolder(std::int64_t step) {
    char name[32];
    std::snprintf(name, sizeof name, "step-%09lld", static_cast<long long>(step));
    return name;
}

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

std::string uniqueName(std::string name, std::set<std::string>& taken) {
    while (!taken.insert(name).second) name += "_";
    return name;
}

ClipOutput::ClipOutput(const std::filesystem::path& runFolder, std::int64_t step, const std::string& name,
                       double fps)
    : m_runFolder(runFolder),
      m_file(std::filesystem::path("clips") / stepFolder(step) / (name + ".mp4")),
      m_fps(fps) {}

void ClipOutput::add(const RgbClip& frames) {
    if (!m_writer) {
        std::filesystem::create_directories((m_runFolder / m_file).parent_path());
        video::ClipEncoding encoding;
        encoding.fps = m_fps;
        encoding.scale =
            static_cast<int>(std::max<std::int64_t>(1, kShownSide / std::min(frames.height, frames.width)));
        m_writer = std::make_unique<video::ClipWriter>(m_runFolder / m_file, encoding);
        m_height = frames.height;
        m_width = frames.width;
    }
    for (int t = 0; t < frames.frames; ++t)
        m_writer->add(
            {frames.width, frames.height, {frames.frame(t), frames.frame(t) + frames.frameBytes()}});
    m_frames += frames.frames;
}

events::Clip ClipOutput::finish(events::Clip event, Json note) {
    if (!m_writer) throw Error("it has no frames.");
    const auto written = m_writer->finish();
    m_file.replace_filename(written.filename());
    event.path = m_file.generic_string();
    event.frames = m_frames;
    event.height = m_height;
    event.width = m_width;
    note.update({{"frames", m_frames}, {"height", m_height}, {"width", m_width}});
    writeFileAtomically(std::filesystem::path(written).replace_extension(".json"), note.dump(2) + "\n");
    return event;
}

bool writeClipOfRun(const std::filesystem::path& runFolder, const std::string& name,
                    const std::function<void(ClipOutput&)>& make, events::Clip event, const Json& note,
                    RunLog& log) {
    try {
        ClipOutput output(runFolder, event.step, name, event.fps);
        make(output);
        log.append(output.finish(event, note));
        return true;
    } catch (const std::exception& error) {
        log.append(events::Health{"clip_not_written",
                                  "The clip of \"" + event.prompt + "\" was not written: " + error.what(),
                                  event.step});
        return false;
    }
}

bool writeClipOfRun(const std::filesystem::path& runFolder, const std::string& name, const RgbClip& clip,
                    events::Clip event, const Json& note, RunLog& log) {
    return writeClipOfRun(
        runFolder, name, [&](ClipOutput& output) { output.add(clip); }, std::move(event), note, log);
}

}  // namespace dailies::trainer
