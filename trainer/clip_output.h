#pragma once

#include "core/base/json.h"
#include "trainer/data/data_source.h"
#include "trainer/run_log.h"

#include <filesystem>
#include <string>

namespace dailies::trainer {

/// Writes a clip to <run>/clips/step-…/`name`.mp4, with `note` beside it as JSON, and logs its event: step,
/// prompt, seed, fps and adherence are the event's, the rest comes from the clip. Small clips are enlarged.
/// A clip that cannot be written is a health event.
void writeClipOfRun(const std::filesystem::path& runFolder, const std::string& name, const RgbClip& clip,
                    events::Clip event, const Json& note, RunLog& log);

/// A prompt as part of a file name: spaces as '-', anything but letters, digits, '.', '_' and '-' as '_', at
/// most 80 bytes.
std::string promptFileName(const std::string& prompt);

}  // namespace dailies::trainer
