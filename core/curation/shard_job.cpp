#include "core/curation/shard_job.h"

#include "core/config/job_keys.h"

namespace dailies::curation {

namespace {

constexpr int kMostMib = 1 << 20, kMostShardThreads = 1024;

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
    config::job::requireClusterPath("folder", job.folder);
    config::job::requireClusterPath("out", job.out);
    if (job.folder == job.out)
        config::job::refuse("out", "the curated folder itself", "a folder for the shards");
    config::job::requireWithin("size_mib", job.sizeMib, 1, kMostMib);
    config::job::requireWithin("threads", job.threads, 1, kMostShardThreads);
}

}  // namespace dailies::curation
