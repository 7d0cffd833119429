#include "core/config/batch_job.h"

#include "core/config/job_keys.h"

namespace dailies::config {

namespace {

using job::read;
using job::refuse;

const std::vector<std::string> kBatchKeys = {"run_folder", "steps", "rank", "ranks", "clips"};

}  // namespace

BatchJob parseBatchJob(const Json& json) {
    job::requireKnownKeys(json, kBatchKeys, "the batch job");
    BatchJob job;
    read(json, "run_folder", job.run_folder, "a folder");
    read(json, "steps", job.steps, "a list of whole numbers");
    read(json, "rank", job.rank, "a whole number");
    read(json, "ranks", job.ranks, "a whole number");
    read(json, "clips", job.clips, "a whole number");
    throwIfInvalid(job);
    return job;
}

Json toJson(const BatchJob& job) {
    return {{"run_folder", job.run_folder},
            {"steps", job.steps},
            {"rank", job.rank},
            {"ranks", job.ranks},
            {"clips", job.clips}};
}

void throwIfInvalid(const BatchJob& job) {
    if (job.run_folder.empty()) refuse("run_folder", "none", "the directory of a run");
    if (job.steps.empty()) refuse("steps", "none", "steps of the run");
    job::requireDistinct("steps", job.steps);
    for (const auto step : job.steps)
        if (step < 1) refuse("steps", std::to_string(step), "steps from 1 on");
    if (job.ranks < 1) refuse("ranks", std::to_string(job.ranks), "1 or more");
    if (job.rank < 0 || job.rank >= job.ranks)
        refuse("rank", std::to_string(job.rank), "0 to " + std::to_string(job.ranks - 1));
    if (job.clips < 1) refuse("clips", std::to_string(job.clips), "1 or more");
}

}  // namespace dailies::config
