#pragma once

#include "core/sweep/sweep.h"
#include "core/sweep/yaml_reader.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote {

/// What is said alike of all jobs that make a dataset.
struct DatasetRequest {
    std::string name;
    std::string experiment = "curation";
    int tasks = 1;                    ///< that share the work
    sweep::Resources resources = {};  ///< of one task
    sweep::Environment environment = {};
};

/// What such a file has beside that.
struct DatasetFileKeys {
    std::string what;               ///< "the curation"
    std::vector<std::string> keys;  ///< of its own
    bool hasTasks = true;
    /// Takes the value of one of `keys`.
    std::function<void(const sweep::YamlReader&, const std::string& key, const YAML::Node&)> read;
    /// After all of them; throws `InputError` for what makes no sense.
    std::function<void()> finish;
};

/// Reads the file of such a job into `request`. Where nothing limits them, all tasks run at once. Throws
/// `InputError` naming `source`, the line, the key, what was found and what would be accepted.
void readDatasetFile(std::string_view text, const std::string& source, DatasetRequest& request,
                     const DatasetFileKeys& file);

/// Throws `InputError` for a job without a name, and resources that Slurm would not understand.
void throwIfInvalid(const DatasetRequest& request);

}  // namespace dailies::remote
