#pragma once

#include "core/sweep/sweep.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dailies::remote {

/// Settles what a sweep file leaves open of its own program, if it names one: `locateCode` and
/// `readConfigFile`. What a person should know of it is added to `notices`. Throws `InputError`, also for a
/// folder that was asked for where no program is named.
void locateProgram(sweep::Sweep& sweep, const std::string& asked, const std::filesystem::path& sweepFolder,
                   std::vector<std::string>& notices);

/// Settles where a program's files are. `asked`: what a person typed, as `sweep::codeFromText` reads it;
/// empty: what the sweep file says counts, and where it says nothing the folder in which the program lies,
/// looked for beside the sweep file and then in the folder that Dailies was started in. Folders of this
/// machine become absolute. Throws `InputError` for one that is not there, and for an address that git cannot
/// be given.
void locateCode(sweep::Program& program, const std::string& asked, const std::filesystem::path& sweepFolder);

/// Reads what ${config_file} is made from: below the code's folder, else beside the sweep file. One that
/// comes with code on the cluster is left to `Program::prepare`. Throws `InputError` for a file that is not
/// there, or is none.
void readConfigFile(sweep::Program& program, const std::filesystem::path& sweepFolder);

/// Throws `InputError` for a file whose text is no configuration.
void checkConfigFile(const sweep::ConfigFile& file);

}  // namespace dailies::remote
