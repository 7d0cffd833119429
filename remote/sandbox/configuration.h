#pragma once

#include "remote/sandbox/layout.h"

/// The configuration files of the sandbox's daemons, as text. Pure functions.
namespace dailies::remote::sandbox {

std::string slurmConf(const Layout& layout, const State& state);
/// Simulated GPUs: each is a link to a device that every machine has, because slurmd insists on a device
/// file.
/// Of the accounting daemon; it holds the database's password.
std::string slurmdbdConf(const State& state);
/// What MariaDB does when it starts: it lets slurmdbd in.
std::string databaseInit(const State& state);
std::string gresConf(const Layout& layout, const State& state);
/// `path`: $PATH of sessions and jobs.
std::string sshdConfig(const Layout& layout, const State& state, const std::string& path);

}  // namespace dailies::remote::sandbox
