#pragma once

#include "remote/sandbox/processes.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dailies::remote::sandbox {

/// What `up` writes down for later calls, in <folder>/sandbox.json.
struct State {
    std::string mark;  ///< random; in the environment of every process of this sandbox
    std::string user;
    std::filesystem::path runFolder;  ///< sockets and spool; elsewhere when the folder's path is long
    int nodes = 0;
    int cpusPerNode = 0;
    int gpusPerNode = 0;
    int memoryPerNode = 0;  ///< MiB
    int sshPort = 0;
    int controllerPort = 0;
    std::vector<int> nodePorts;
    bool accounting = false;
    int accountingPort = 0;        ///< of slurmdbd
    int databasePort = 0;          ///< of its MariaDB
    std::string databasePassword;  ///< random; nothing else is in that database
    std::vector<std::pair<std::string, ProcessIdentity>> daemons;  ///< by name, in the order of their start
};

/// Where the things of a sandbox lie.
struct Layout {
    std::filesystem::path folder;

    std::filesystem::path stateFile() const { return folder / "sandbox.json"; }
    std::filesystem::path slurmConf() const { return folder / "slurm.conf"; }
    std::filesystem::path slurmdbdConf() const { return folder / "slurmdbd.conf"; }
    std::filesystem::path database() const { return folder / "database"; }
    std::filesystem::path databaseInit() const { return folder / "database.sql"; }
    std::filesystem::path gresConf() const { return folder / "gres.conf"; }
    std::filesystem::path sshdConfig() const { return folder / "sshd_config"; }
    std::filesystem::path keys() const { return folder / "keys"; }
    std::filesystem::path hostKey() const { return keys() / "host_ed25519"; }
    std::filesystem::path userKey() const { return keys() / "user_ed25519"; }
    std::filesystem::path authorizedKeys() const { return keys() / "authorized_keys"; }
    std::filesystem::path knownHosts() const { return keys() / "known_hosts"; }
    std::filesystem::path mungeKey() const { return keys() / "munge.key"; }
    std::filesystem::path controllerState() const { return folder / "slurmctld"; }
    std::filesystem::path gpus() const { return folder / "gpu"; }
    std::filesystem::path workspace() const { return folder / "workspace"; }
    std::filesystem::path log(const std::string& daemon) const { return folder / "log" / (daemon + ".log"); }
};

inline std::string nodeName(int index) {
    return "n" + std::to_string(index + 1);
}

/// nullopt when the folder has none; throws `InputError` when the file is damaged.
std::optional<State> readState(const Layout& layout);
void writeState(const Layout& layout, const State& state);

}  // namespace dailies::remote::sandbox
