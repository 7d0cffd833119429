#include "trainer/inference/clip_output.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/digest/sha256.h"

#include <algorithm>
#include <cstdio>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kShownSide = 256;  // small clips are enlarged: H.264 halves the resolution of colour
constexpr std::size_t kHashDigits = 16;

video::ClipEncoding encodingFor(const RgbClip& clip, double fps) {
    video::ClipEncoding encoding;
    encoding.fps = fps;
    encoding.scale =
        static_cast<int>(std::max<std::int64_t>(1, kShownSide / std::min(clip.height, clip.width)));
    return encoding;
}

void addFrames(video::ClipWriter& writer, const RgbClip& clip) {
    for (int t = 0; t < clip.frames; ++t)
        writer.add({clip.width, clip.height, {clip.frame(t), clip.frame(t) + clip.frameBytes()}});
}

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
        m_writer = std::make_unique<video::ClipWriter>(m_runFolder / m_file, encodingFor(frames, m_fps));
        m_height = frames.height;
        m_width = frames.width;
    }
    addFrames(*m_writer, frames);
    m_frames += frames.frames;
}

void ClipOutput::addInput(const std::string& name, const RgbClip& clip) {
    Sha256 hash;
    for (const int size : {clip.frames, clip.height, clip.width}) hash.addNumber(size);
    hash.addNumber(m_fps);
    hash.add({reinterpret_cast<const char*>(clip.rgb.data()), clip.rgb.size()});
    const auto base = m_runFolder / "clips" / "inputs" / (name + "-" + hash.hex(kHashDigits));
    auto file = base;
    for (const char* ending : {".y4m", ".mp4"})
        if (file = base.string() + ending; std::filesystem::exists(file)) break;
    if (!std::filesystem::exists(file)) {
        std::filesystem::create_directories(base.parent_path());
        video::ClipWriter writer(file, encodingFor(clip, m_fps));
        addFrames(writer, clip);
        file = writer.finish();
    }
    m_inputs[name] = file.lexically_relative(m_runFolder).generic_string();
}

events::Clip ClipOutput::finish(events::Clip event, Json note) {
    if (!m_writer) throw Error("it has no frames.");
    const auto written = m_writer->finish();
    m_file.replace_filename(written.filename());
    event.path = m_file.generic_string();
    event.frames = m_frames;
    event.height = m_height;
    event.width = m_width;
    event.inputs = m_inputs;
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
