#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/cluster/submission.h"

#include <stop_token>
#include <string>

namespace dailies::remote {

/// Sends what stands in the store as a sweep: writes its files, submits, records the job; returns its id.
/// What the cluster refuses, or a person stops, ends the runs with the reason, and is thrown on. A
/// `SessionError` leaves them as they are: `resumeLaunches` goes on over a new connection.
std::string sendRecorded(Cluster& cluster, tracking::Store& store, const Submission& submission,
                         const Progress& progress = {}, std::stop_token stop = {});

/// The second half, once the files are there.
std::string submitRecorded(Cluster& cluster, tracking::Store& store, const Submission& submission,
                           const Progress& progress = {});

}  // namespace dailies::remote
