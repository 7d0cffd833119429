#include "core/curation/clip_scoring_job.h"

#include "core/config/job_keys.h"
#include "core/config/scoring_job.h"

namespace dailies::curation {

namespace {

constexpr int kMostSide = 16384, kMostScoringThreads = 1024;

}  // namespace

std::vector<std::string> clipScoringKeys() {
    return {"folder", "scorer", "name", "frames", "max_side"};
}

ClipScoringJob parseClipScoringJob(const Json& json) {
    using config::job::read;
    auto keys = clipScoringKeys();
    keys.insert(keys.end(), {"threads", "shared_by"});
    config::job::requireKnownKeys(json, keys, "the scoring of clips");
    ClipScoringJob job;
    read(json, "folder", job.folder, "a folder");
    read(json, "scorer", job.scorer, "a file");
    read(json, "name", job.name, "a name");
    read(json, "frames", job.frames, "a whole number");
    read(json, "max_side", job.maxSide, "a whole number");
    read(json, "threads", job.threads, "a whole number");
    read(json, "shared_by", job.sharedBy, "letters and digits");
    if (job.name.empty() && !job.scorer.empty()) job.name = config::scorerNameOf(job.scorer);
    throwIfInvalid(job);
    return job;
}

Json toJson(const ClipScoringJob& job) {
    return {{"folder", job.folder},     {"scorer", job.scorer},    {"name", job.name},
            {"frames", job.frames},     {"max_side", job.maxSide}, {"threads", job.threads},
            {"shared_by", job.sharedBy}};
}

void throwIfInvalid(const ClipScoringJob& job) {
    using config::job::refuse;
    using config::job::requireWithin;
    if (job.folder.empty()) refuse("folder", "none", "one that dailies-train curate wrote");
    if (job.scorer.empty()) refuse("scorer", "none", "the file of a module that torch.jit.save wrote");
    config::requireScorerName(job.name);
    requireWithin("frames", job.frames, 1, kMostFramesScored);
    requireWithin("max_side", job.maxSide, 16, kMostSide);
    requireWithin("threads", job.threads, 1, kMostScoringThreads);
    config::job::requireWord("shared_by", job.sharedBy);
}

}  // namespace dailies::curation
