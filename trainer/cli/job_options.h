#pragma once

#include "core/base/json.h"

#include <filesystem>
#include <string>

namespace dailies::trainer {

// What the verbs of jobs on runs share (sample, score).

/// The job that a file tells. Throws `InputError` where there is none, and as `parseJson`.
Json readJobFile(const std::string& verb, const std::filesystem::path& file);

/// Throws `InputError` where Slurm started several processes.
void requireOneProcess(const std::string& verb);

}  // namespace dailies::trainer
