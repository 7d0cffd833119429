#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::config {

/// What `dailies-train batch` shows: the clips of steps of a run, as a rank's model sees them.
struct BatchJob {
    std::string run_folder;           ///< whose config.json and newest checkpoint say which they are
    std::vector<std::int64_t> steps;  ///< from 1 on
    std::int64_t rank = 0, ranks = 1;
    std::int64_t clips = 16;  ///< of each step at most
};

/// Throws `InputError` that names the key, what was found and what would be accepted.
BatchJob parseBatchJob(const Json& json);
Json toJson(const BatchJob& job);

/// Whether the words make sense; throws `InputError` as `parseBatchJob` does.
void throwIfInvalid(const BatchJob& job);

}  // namespace dailies::config
