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

/// By what a sandbox's processes are known.
struct SandboxProcesses {
    std::vector<ProcessIdentity> daemons;
    std::string mark;
    std::filesystem::path sshdLog;    ///< the sessions of its sshd write there
    std::filesystem::path runFolder;  ///< the sockets of its job steps lie there
};

/// Kills what belongs to a sandbox: the daemons, whatever is marked, sessions and job steps, and everything
/// below any of them in the process tree. Returns when none of it runs any more; throws `Error` when
/// something survives.
void killAll(const SandboxProcesses& what);

}  // namespace dailies::remote::sandbox
