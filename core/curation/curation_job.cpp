#include "core/curation/curation_job.h"

#include "core/config/job_keys.h"
#include "core/objects/object_reader.h"

namespace dailies::curation {

namespace {

constexpr int kMostThreads = 1024;

const std::vector<std::string> kCurationKeys = {"films",          "out",     "config",   "write_clips",
                                                "write_previews", "threads", "shared_by"};

}  // namespace

CurationJob parseCurationJob(const Json& json) {
    using config::job::read;
    config::job::requireKnownKeys(json, kCurationKeys, "the curation job");
    CurationJob job;
    read(json, "films", job.films, "a list of files and folders");
    read(json, "out", job.out, "a folder");
    if (const auto rules = json.find("config"); rules != json.end()) job.config = parseCurationConfig(*rules);
    read(json, "write_clips", job.writeClips, "true or false");
    read(json, "write_previews", job.writePreviews, "true or false");
    read(json, "threads", job.threads, "a whole number");
    read(json, "shared_by", job.sharedBy, "letters and digits");
    throwIfInvalid(job);
    return job;
}

Json toJson(const CurationJob& job) {
    Json json = {{"films", job.films},
                 {"out", job.out},
                 {"write_clips", job.writeClips},
                 {"write_previews", job.writePreviews},
                 {"threads", job.threads},
                 {"shared_by", job.sharedBy}};
    if (job.config) json["config"] = toJson(*job.config);
    return json;
}

CurateOptions optionsOf(const CurationJob& job) {
    return {.films = job.films,
            .out = job.out,
            .config = job.config ? *job.config : loadCurationConfig(job.out),
            .threads = static_cast<unsigned>(job.threads),
            .writeClips = job.writeClips,
            .writePreviews = job.writePreviews,
            .sharedBy = job.sharedBy};
}

void throwIfInvalid(const CurationJob& job) {
    using config::job::refuse;
    if (job.films.empty())
        refuse("films", "none", "files of the cluster, folders of them, or s3://bucket/folder/");
    for (const auto& film : job.films)
        if (!film.starts_with('/') && !objects::isObjectUrl(film))
            refuse("films", config::job::inQuotes(film),
                   "absolute paths of the cluster, or s3://bucket/folder/");
    config::job::requireClusterPath("out", job.out);
    config::job::requireWithin("threads", job.threads, 1, kMostThreads);
    config::job::requireWord("shared_by", job.sharedBy);
}

}  // namespace dailies::curation
