#pragma once

#include "core/base/json.h"
#include "core/sweep/program.h"

#include <string>
#include <vector>

// What ${config_file} stands for: the program's own configuration file, with the values of a run in it.
namespace dailies::sweep {

/// Its name in the run's folder: "config_file.toml".
std::string nameInRun(const ConfigFile& file);

/// The file's text with these values in it. `values`: flat, by dotted path ("optimizer.lr",
/// "stages.0.steps"); null takes a key away; what is not there is added. Comments are lost. Throws
/// `InputError` for a file that is no TOML, YAML or JSON, and for a path that leads through something else
/// than a table or a list.
std::string renderConfigFile(const ConfigFile& file, const Json& values);

/// Those of the keys that the file does not have.
std::vector<std::string> keysMissingIn(const ConfigFile& file, const std::vector<std::string>& keys);

/// Why this file's name cannot be taken; empty when it can.
std::string configFileProblem(const ConfigFile& file);

}  // namespace dailies::sweep
