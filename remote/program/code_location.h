#pragma once

#include "core/sweep/program.h"

#include <filesystem>
#include <string>

namespace dailies::remote {

/// Settles where a program's files are. `asked`: what a person typed, "FOLDER" of this machine or
/// "cluster:FOLDER"; empty: what the sweep file says counts, and where it says nothing the folder in which
/// the program lies, looked for beside the sweep file and then in the folder that Dailies was started in.
/// Folders of this machine become absolute. Throws `InputError` for one that is not there.
void locateCode(sweep::Program& program, const std::string& asked, const std::filesystem::path& sweepFolder);

/// Reads what ${config_file} is made from: below the code's folder, else beside the sweep file. One on the
/// cluster is left to `Program::prepare`. Throws `InputError` for a file that is not there, or is none.
void readConfigFile(sweep::Program& program, const std::filesystem::path& sweepFolder);

/// Throws `InputError` for a file whose text is no configuration.
void checkConfigFile(const sweep::ConfigFile& file);

}  // namespace dailies::remote
