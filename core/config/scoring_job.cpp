#include "core/config/scoring_job.h"

#include "core/config/job_keys.h"

#include <filesystem>
#include <string_view>

namespace dailies::config {

namespace {

using job::inQuotes;
using job::read;
using job::refuse;

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

const std::vector<std::string> kScoringKeys = {"scorer", "name", "run_folder", "steps", "reference", "cache"};

}  // namespace

ScoringJob parseScoringJob(const Json& json) {
    job::requireKnownKeys(json, kScoringKeys, "the scoring job");
    ScoringJob job;
    read(json, "scorer", job.scorer, "a file");
    read(json, "name", job.name, "a text");
    read(json, "run_folder", job.run_folder, "a folder");
    read(json, "steps", job.steps, "a list of whole numbers");
    read(json, "reference", job.reference, "a folder");
    read(json, "cache", job.cache, "a folder");
    throwIfInvalid(job);
    return job;
}

Json toJson(const ScoringJob& job) {
    return {{"scorer", job.scorer}, {"name", job.name},           {"run_folder", job.run_folder},
            {"steps", job.steps},   {"reference", job.reference}, {"cache", job.cache}};
}

void throwIfInvalid(const ScoringJob& job) {
    if (job.scorer.empty()) refuse("scorer", "none", "the file of a TorchScript module");
    requireScorerName(job.name);
    if (job.run_folder.empty()) refuse("run_folder", "none", "the directory of a run");
    job::requireDistinct("steps", job.steps);
    for (const auto step : job.steps)
        if (step < 0) refuse("steps", std::to_string(step), "steps of the run");
}

void requireScorerName(const std::string& name) {
    if (name.empty() || name.size() > kLongestName || name.find_first_not_of(kNameLetters) != name.npos)
        refuse("name", inQuotes(name), "up to 64 letters, digits and . _ -");
}

std::string scorerNameOf(const std::string& file) {
    std::string name = std::filesystem::path(file).stem().string().substr(0, kLongestName);
    for (auto& c : name)
        if (kNameLetters.find(c) == kNameLetters.npos) c = '-';
    return name;
}

std::string scoreMetric(const std::string& name, const std::string& key) {
    return "score/" + name + (key.empty() ? "" : "/" + key);
}

}  // namespace dailies::config
