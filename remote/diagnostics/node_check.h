#pragma once

#include "remote/diagnostics/cluster_check.h"
#include "remote/slurm/scheduler.h"
#include "remote/ssh/session.h"

#include <chrono>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// Runs a job of seconds on a compute node and reports what it found there: that jobs start, whether the node
/// sees the workspace, its clock, compiler, CMake, PyTorch, FFmpeg, GPUs. A job that is still queued after
/// `timeout` is cancelled, and the node stays unknown. Throws `Error` for a session or Slurm that fails.
void checkNode(ssh::Session& session, slurm::Scheduler& scheduler, const ClusterProfile& profile,
               const std::string& workspace, int gpus, std::chrono::seconds timeout,
               const FindingCallback& report, const std::stop_token& stop);

}  // namespace dailies::remote
