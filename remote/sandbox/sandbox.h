#pragma once

#include "remote/cluster/profile.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace dailies::remote::sandbox {

struct Options {
    std::filesystem::path folder;  ///< everything lives below it; default: $XDG_STATE_HOME/dailies/sandbox
    int nodes = 2;
    int cpusPerNode = 0;           ///< 0: the machine's cores divided over the nodes, at least 1
    int gpusPerNode = 0;           ///< simulated GRES (gpu)
    bool accounting = false;       ///< also slurmdbd on MariaDB
};

struct Status {
    bool running = false;
    std::string summary;           ///< a line for a person
    int sshPort = 0;
    std::filesystem::path folder;
    std::optional<ClusterProfile> profile;  ///< ready to be put in ClusterProfiles; name "sandbox"
};

std::filesystem::path defaultFolder();

/// Starts munged, slurmctld, the slurmd nodes and sshd on loopback, all as the calling user, and waits until a job can run.
/// Running already = returns its status; half dead = what is left is ended first. Throws `Error` with the failing daemon's
/// own words and the apt line when a program is missing.
Status up(const Options& options, const std::function<void(const std::string&)>& progress = {});
Status status(const std::filesystem::path& folder);
/// Ends exactly the processes that `up` started there (checked by their start time, not by pid alone) and removes the folder.
void down(const std::filesystem::path& folder);

}  // namespace dailies::remote::sandbox
