#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/submission.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Ends what is active of a sweep's runs, with the reason.
void endActiveRuns(tracking::Store& store, const std::string& sweepId, tracking::RunStatus status,
                   const std::string& reason);

/// Sends what stands in the store as a sweep: writes its files, submits, records the job; returns its id.
/// What the cluster refuses, or a person stops, ends the runs with the reason, and is thrown on. A
/// `SessionError` leaves them as they are: `resumeLaunches` goes on over a new connection.
std::string uploadAndSubmit(Cluster& cluster, tracking::Store& store, const Submission& submission,
                            const Progress& progress = {}, std::stop_token stop = {});

/// Records jobs on runs that were launched before (sampling, scoring) as a sweep of these runs, whose file is
/// the submission's document.
void record(const Cluster& cluster, tracking::Store& store, const std::vector<tracking::Run>& runs,
            const std::string& name, const Submission& submission);

/// `record`, then `uploadAndSubmit`.
std::string recordAndSubmit(Cluster& cluster, tracking::Store& store, const std::vector<tracking::Run>& runs,
                            const std::string& name, const Submission& submission,
                            const Progress& progress = {}, std::stop_token stop = {});

/// The config.json of a task: of the job, which stands in the document under its key ("sampling"), and the
/// task's entry among the document's runs.
using TaskConfigFn = Json (*)(const Json& job, const Json& run);

/// The job that such a document tells, with a task for each of its runs.
Submission submissionOf(const std::string& id, const Json& document, const std::string& script,
                        const char* key, TaskConfigFn configOf);

/// The same of a record, where its document has this key; nullopt: a record of something else.
std::optional<Submission> submissionFromRecord(const tracking::SweepRecord& record, const char* key,
                                               TaskConfigFn configOf);

/// The second half, once the files are there.
std::string submitRecorded(Cluster& cluster, tracking::Store& store, const Submission& submission,
                           const Progress& progress = {});

}  // namespace dailies::remote
