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

}  // namespace dailies::remote
