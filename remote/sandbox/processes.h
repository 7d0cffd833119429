#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

/// Daemons that outlive the program that started them, and how to know them again.
namespace dailies::remote::sandbox {

/// A process, told apart from a later one of the same pid by when it started.
struct ProcessIdentity {
    pid_t pid = 0;
    std::uint64_t startTime = 0;  ///< clock ticks since boot, field 22 of /proc/<pid>/stat
};

/// Every process of a sandbox carries this variable with the sandbox's random mark; sessions and jobs inherit
/// it.
inline constexpr const char* kMarkVariable = "DAILIES_SANDBOX";

/// Starts a program as a daemon: its own session, no terminal, standard output and error appended to `log`,
/// not our child. Returns when it has been started, not when it is ready.
ProcessIdentity startDaemon(const std::vector<std::string>& command,
                            const std::map<std::string, std::string>& environment,
                            const std::filesystem::path& log);

bool isAlive(const ProcessIdentity& process);

/// Kills what belongs to a sandbox and returns when nothing of it runs any more: the daemons, everything
/// below them in the process tree, everything marked, and sshd's sessions (which hide their environment and
/// may have lost their parent, but still write to `sshdLog`). Throws `Error` when something survives.
void endAll(const std::vector<ProcessIdentity>& daemons, const std::string& mark,
            const std::filesystem::path& sshdLog);

}  // namespace dailies::remote::sandbox
