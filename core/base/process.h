#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies {

struct ProcessOptions {
    std::string input{};                               ///< what the program reads from its standard input
    std::map<std::string, std::string> environment{};  ///< set on top of the caller's
    std::filesystem::path folder{};                    ///< working folder; empty: the caller's
    std::chrono::milliseconds timeout{60'000};
};

struct ProcessResult {
    int exitCode = 0;  ///< 128 + n when ended by signal n
    std::string out, err;
    bool ok() const { return exitCode == 0; }
};

/// Runs a program to its end and collects what it writes. No shell is involved: `command` is the program (a
/// path, or a name looked up as `findProgram` does) and its arguments as they are. A non-zero exit is no
/// exception. Throws `Error` when the program cannot be started or outlives the timeout, `Cancelled` when
/// stopped; it and its children (its process group) are killed then. Thread-safe.
ProcessResult runProcess(const std::vector<std::string>& command, const ProcessOptions& options = {},
                         std::stop_token stop = {});

/// Where a program lies: $PATH, then the folders for system programs that an ordinary user's $PATH leaves
/// out.
std::optional<std::filesystem::path> findProgram(const std::string& name);

}  // namespace dailies
