#pragma once

#include "core/events/event.h"

#include <filesystem>
#include <vector>

namespace dailies::trainer {

/// The clips that a run has made so far, by step and path, as its events.jsonl tells of them: without those
/// that a resumption retracted. Throws `InputError` where there is no such file.
std::vector<events::Clip> clipsOfRun(const std::filesystem::path& runFolder);

}  // namespace dailies::trainer
