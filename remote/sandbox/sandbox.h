#pragma once

#include "remote/cluster/profile.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace dailies::remote::sandbox {

struct Options {
    std::filesystem::path folder;  ///< everything lives below it; default: $XDG_STATE_HOME/dailies/sandbox
    int nodes = 2;
    int cpusPerNode = 0;      ///< 0: the machine's cores divided over the nodes, at least 1
    int gpusPerNode = 0;      ///< simulated GRES (gpu)
    bool accounting = false;  ///< slurmdbd on a MariaDB of its own, with an account "sandbox" for the user
};

struct Status {
    bool running = false;
    std::string summary;  ///< a line for a person
    int sshPort = 0;
    std::filesystem::path folder;
    std::optional<ClusterProfile> profile;  ///< ready to be put in ClusterProfiles; name "sandbox"
};

std::filesystem::path defaultFolder();

/// Starts munged, slurmctld, the slurmd nodes and sshd on loopback, all as the calling user, and waits until
/// a job can run. Running already = returns its status, whatever the other options; half dead (a crash, a
/// reboot) = what is left is ended and all of it started again on the same keys, workspace and job history.
/// Throws `Error` with the failing daemon's own words, and with the apt line when a program is missing;
/// `InputError` for a folder that holds something else; `Cancelled` when stopped, and nothing runs then.
Status up(const Options& options, const std::function<void(const std::string&)>& progress = {},
          std::stop_token stop = {});
Status status(const std::filesystem::path& folder);
/// Ends exactly what `up` started there, sessions and jobs included (known by start time and by a random mark
/// in their environment, not by pid alone), and removes the folder. Nothing there = nothing to do; a folder
/// that is no sandbox is refused with an `InputError`.
void down(const std::filesystem::path& folder);

}  // namespace dailies::remote::sandbox
