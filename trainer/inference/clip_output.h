#pragma once

#include "core/base/json.h"
#include "core/video/clip_writer.h"
#include "trainer/data/example.h"
#include "trainer/runtime/run_log.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace dailies::trainer {

/// One clip on its way to <run>/clips/step-…/`name`.mp4, with a note beside it as JSON and its event. Frames
/// may come a few at a time: a long clip is never held whole. Small clips are enlarged.
class ClipOutput {
public:
    ClipOutput(const std::filesystem::path& runFolder, std::int64_t step, const std::string& name,
               double fps);

    void add(const RgbClip& frames);

    /// Writes what the clip is made from ("reference") to <run>/clips/inputs/`name`-HASH.mp4, once however
    /// many are made from it. Throws `Error`.
    void addInput(const std::string& name, const RgbClip& clip);

    /// Writes the file and its note, and returns the event: path, sizes and inputs are the clip's, the rest
    /// is as in `event`. Throws `Error`.
    events::Clip finish(events::Clip event, Json note);

private:
    std::filesystem::path m_runFolder, m_file;  ///< the file's is relative to the run's
    double m_fps;
    std::unique_ptr<video::ClipWriter> m_writer;
    int m_frames = 0, m_height = 0, m_width = 0;
    std::map<std::string, std::string> m_inputs;  ///< name → path in the run's folder
};

/// Writes a clip of `event.step` and logs its event. A clip that cannot be written is a health event; returns
/// whether it was.
bool writeClipOfRun(const std::filesystem::path& runFolder, const std::string& name, const RgbClip& clip,
                    events::Clip event, const Json& note, RunLog& log);
/// The same of a clip whose frames `make` hands to the output.
bool writeClipOfRun(const std::filesystem::path& runFolder, const std::string& name,
                    const std::function<void(ClipOutput&)>& make, events::Clip event, const Json& note,
                    RunLog& log);

/// A prompt as part of a file name: spaces as '-', anything but letters, digits, '.', '_' and '-' as '_', at
/// most 80 bytes.
std::string promptFileName(const std::string& prompt);

/// `name`, with '_' behind it where it is taken, and takes it: "a, b" and "a; b" are two clips.
std::string uniqueName(std::string name, std::set<std::string>& taken);

/// "step-000001000"
std::string stepFolder(std::int64_t step);

}  // namespace dailies::trainer
