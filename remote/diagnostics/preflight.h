#pragma once

#include "core/preflight/report.h"
#include "remote/cluster/cluster.h"
#include "remote/job_script/preflight_script.h"
#include "remote/trainer_install/trainer_install.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Submits a preflight and waits for its report, which is also kept in `history`. `progress` says why it
/// waits. A request to stop cancels the job. Throws `Error` when the job ended without a report, with what it
/// said last.
preflight::Report runPreflight(Cluster& cluster, const InstalledTrainer& trainer,
                               const PreflightRequest& request, const std::filesystem::path& history,
                               const Progress& progress = {}, std::stop_token stop = {});

/// Copies the reports of the workspace that `history` does not have, those of runs' own preflights included;
/// returns how many.
int mirrorPreflights(Cluster& cluster, const std::filesystem::path& history, std::stop_token stop = {});

/// Where this machine keeps a cluster's reports.
std::filesystem::path preflightHistory(const std::string& cluster);

/// The reports in a history, newest first, at most `count`; files that are no reports are left out.
std::vector<preflight::Report> readPreflights(const std::filesystem::path& history, std::size_t count = 50);

}  // namespace dailies::remote
