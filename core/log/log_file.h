#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace dailies::log {

std::filesystem::path logFolder();  ///< $XDG_STATE_HOME/dailies

/// Where the log is, and how much of a disk it may take: `path` and, before it, "dailies.1.log" and on, each
/// full when the next began.
struct LogFile {
    std::filesystem::path path = logFolder() / "dailies.log";
    std::uint64_t bytes = 4 << 20;  ///< of each file
    int files = 3;                  ///< with `path`

    std::filesystem::path earlier(int number) const;  ///< 0: `path` itself
};

/// The last lines of all programs that write it, oldest first; fewer where there are no more, "" where there
/// is no log. Reads the disk. Throws `Error` for a file that is there and cannot be read.
std::string lastLines(const LogFile& file, std::size_t lines);

}  // namespace dailies::log
