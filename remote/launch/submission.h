#pragma once

#include "core/base/json.h"
#include "remote/cluster/cluster.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// One job array and the files that it needs on the cluster: a whole sweep, or one run that a sweep decided
/// on later.
struct Submission {
    struct Task {
        std::string runId;
        Json config;
        std::string beginsFrom = {};  ///< run whose newest checkpoint it goes on from; empty: from nothing
        std::map<std::string, std::string> files = {};  ///< of its folder by name, beside config.json
    };
    std::string id;  ///< the job's comment, and its folder below sweeps/: by it the job is found again
    Json document;   ///< for people and other tools: sweep.json
    std::string script;
    std::vector<Task> tasks;                        ///< by array index
    std::map<std::string, std::string> files = {};  ///< of its folder by name, beside sweep.json
};

/// sweep.json, array.tsv, job.sbatch and every run's folder with its config.json, each whole or absent, in
/// few remote calls. Writing them again changes nothing.
void writeSubmissionFiles(Cluster& cluster, const Submission& submission, const Progress& progress = {},
                          std::stop_token stop = {});

/// Calls sbatch, and where its answer is in doubt asks Slurm. Not stopped half-way: what sbatch did must
/// become known. Throws `Error` when Slurm refuses, `SessionError` when nothing is known: then ask
/// `findSubmittedJob` over a new connection before submitting again.
std::string submit(Cluster& cluster, const Submission& submission);

/// The job that was submitted under this id: by Slurm, or, where Slurm has forgotten it, by the mark that
/// the job itself left.
std::optional<std::string> findSubmittedJob(Cluster& cluster, const std::string& id,
                                            std::stop_token stop = {});

}  // namespace dailies::remote
