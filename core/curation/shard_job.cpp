#include "core/curation/shard_job.h"

#include "core/config/job_keys.h"

namespace dailies::curation {

namespace {

constexpr int kMostMib = 1 << 20, kMostShardThreads = 1024;

void requireBetween(const char* key, int found, int most) {
    if (found < 1 || found > most)
        config::job::refuse(key, std::to_string(found), "1 to " + std::to_string(most));
}

}  // namespace

ShardJob parseShardJob(const Json& json) {
    using config::job::read;
    config::job::requireKnownKeys(json, {"folder", "out", "size_mib", "threads"}, "the shard job");
    ShardJob job;
    read(json, "folder", job.folder, "a folder");
    read(json, "out", job.out, "a folder");
    read(json, "size_mib", job.sizeMib, "a whole number");
    read(json, "threads", job.threads, "a whole number");
    throwIfInvalid(job);
    return job;
}

Json toJson(const ShardJob& job) {
    return {{"folder", job.folder}, {"out", job.out}, {"size_mib", job.sizeMib}, {"threads", job.threads}};
}

void throwIfInvalid(const ShardJob& job) {
    using config::job::refuse;
    for (const auto& [key, path] : {std::pair{"folder", &job.folder}, std::pair{"out", &job.out}})
        if (!path->starts_with('/'))
            refuse(key, path->empty() ? "none" : config::job::inQuotes(*path),
                   "an absolute path of the cluster");
    if (job.folder == job.out) refuse("out", "the curated folder itself", "a folder for the shards");
    requireBetween("size_mib", job.sizeMib, kMostMib);
    requireBetween("threads", job.threads, kMostShardThreads);
}

}  // namespace dailies::curation
