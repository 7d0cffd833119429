#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/cluster/submission.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Sends what stands in the store as a sweep: writes its files, submits, records the job; returns its id.
/// What the cluster refuses, or a person stops, ends the runs with the reason, and is thrown on. A
/// `SessionError` leaves them as they are: `resumeLaunches` goes on over a new connection.
std::string sendRecorded(Cluster& cluster, tracking::Store& store, const Submission& submission,
                         const Progress& progress = {}, std::stop_token stop = {});

/// Records jobs on runs that were launched before (sampling, scoring) as a sweep of these runs, whose file is
/// the submission's document, and sends it.
std::string recordAndSend(Cluster& cluster, tracking::Store& store, const std::vector<tracking::Run>& runs,
                          const std::string& name, const Submission& submission,
                          const Progress& progress = {}, std::stop_token stop = {});

/// The document of such a record, where it is one that has this key ("sampling"); nullopt: another.
std::optional<Json> recordedDocument(const tracking::SweepRecord& record, const char* key);

/// The second half, once the files are there.
std::string submitRecorded(Cluster& cluster, tracking::Store& store, const Submission& submission,
                           const Progress& progress = {});

}  // namespace dailies::remote
