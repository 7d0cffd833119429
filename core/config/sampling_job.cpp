#include "core/config/sampling_job.h"

#include "core/base/numbers.h"
#include "core/config/job_keys.h"
#include "core/config/prompt_files.h"
#include "core/config/schema.h"

#include <algorithm>
#include <cmath>

namespace dailies::config {

namespace {

constexpr std::int64_t kMaxSeeds = 10'000;
constexpr std::int64_t kMaxClips = 1'000'000;
constexpr double kMaxStrength = 10;
constexpr std::int64_t kLargestSeed = 9007199254740991;  // 2^53 - 1: what JSON keeps in every language

using job::inQuotes;
using job::read;
using job::refuse;
using job::requireDistinct;

template <class T>
bool parseWhole(std::string_view text, T& value) {
    const auto parsed = parseAs<T>(trim(text));
    if (parsed) value = *parsed;
    return parsed.has_value();
}

std::vector<std::string> keysOfJob() {
    std::vector<std::string> keys = {"checkpoints", "prompts", "prompt_embeddings", "negative_prompt"};
    for (const auto& files : kPromptFiles) keys.emplace_back(files.key);
    for (const auto* key :
         {"align_poses", "seeds", "guidance", "steps", "strength", "frames", "overlap", "blend"})
        keys.emplace_back(key);
    return keys;
}

void requireInRange(const char* schemaKey, double value) {
    const Field& field = *findField(schemaKey);
    if (!std::isfinite(value) || value < field.minimum.value_or(value) ||
        value > field.maximum.value_or(value))
        refuse(schemaKey, shortNumber(value), field.accepted());
}

}  // namespace

std::int64_t SamplingJob::clips() const {
    const auto count = [](std::size_t n) { return static_cast<std::int64_t>(std::max<std::size_t>(n, 1)); };
    return count(checkpoints.size()) * static_cast<std::int64_t>(prompts.size() * seeds.size()) *
           count(guidance.size()) * count(steps.size()) * count(strength.size());
}

std::string SamplingJob::conditioningFile(std::size_t prompt) const {
    return fileOfPrompt(given_files, prompt);
}

std::string fileOfPrompt(const std::vector<std::string>& files, std::size_t prompt) {
    return files.empty() ? std::string() : files[files.size() == 1 ? 0 : prompt];
}

SamplingJob parseSamplingJob(const Json& json) {
    job::requireKnownKeys(json, keysOfJob(), "the sampling job");
    SamplingJob job;
    read(json, "checkpoints", job.checkpoints, "a list of checkpoint folders");
    read(json, "prompts", job.prompts, "a list of texts");
    read(json, "prompt_embeddings", job.prompt_embeddings, "a list of files");
    if (json.contains("negative_prompt"))
        read(json, "negative_prompt", job.negative_prompt.emplace(), "a text");
    for (const auto& files : kPromptFiles) read(json, files.key, job.*files.ofJob, "a list of files");
    if (json.contains("align_poses")) read(json, "align_poses", job.align_poses.emplace(), "true or false");
    read(json, "seeds", job.seeds, "a list of whole numbers");
    read(json, "guidance", job.guidance, "a list of numbers");
    read(json, "steps", job.steps, "a list of whole numbers");
    read(json, "strength", job.strength, "a list of numbers");
    read(json, "frames", job.frames, "a whole number");
    read(json, "overlap", job.overlap, "a whole number");
    read(json, "blend", job.blend, ("one of: " + join(kBlends, ", ")).c_str());
    throwIfInvalid(job);
    return job;
}

void throwIfInvalid(const SamplingJob& job) {
    if (job.prompts.empty()) refuse("prompts", "none", "at least one");
    if (job.seeds.empty()) refuse("seeds", "none", "at least one");
    requireDistinct("checkpoints", job.checkpoints);
    requireDistinct("prompts", job.prompts);
    requireDistinct("seeds", job.seeds);
    for (const auto& files : kPromptFiles)
        if (const auto count = (job.*files.ofJob).size(); !fitsPrompts(count, job.prompts.size()))
            refuse(files.key,
                   std::to_string(count) + " for " + std::to_string(job.prompts.size()) + " prompts",
                   "none, one for all, or one for each prompt");
    if (const auto files = job.prompt_embeddings.size(); files > 0 && files != job.prompts.size())
        refuse("prompt_embeddings",
               std::to_string(files) + " for " + std::to_string(job.prompts.size()) + " prompts",
               "none, or one for each prompt");
    requireDistinct("guidance", job.guidance);
    requireDistinct("steps", job.steps);
    requireDistinct("strength", job.strength);
    for (const auto seed : job.seeds)
        if (seed < 0 || seed > kLargestSeed)
            refuse("seeds", std::to_string(seed), "whole numbers from 0 to " + std::to_string(kLargestSeed));
    for (const auto scale : job.guidance) requireInRange("sampling.guidance", scale);
    for (const auto steps : job.steps) requireInRange("sampling.steps", static_cast<double>(steps));
    for (const auto strength : job.strength)
        if (!(std::abs(strength) <= kMaxStrength))
            refuse("strength", shortNumber(strength),
                   "numbers from -" + shortNumber(kMaxStrength) + " to " + shortNumber(kMaxStrength));
    if (job.frames < 0) refuse("frames", std::to_string(job.frames), "0 (as learned) or more");
    if (job.overlap < 0) refuse("overlap", std::to_string(job.overlap), "0 (a third of a chunk) or more");
    if (std::ranges::find(kBlends, job.blend) == kBlends.end())
        refuse("blend", inQuotes(job.blend), "one of: " + join(kBlends, ", "));
    if (job.clips() > kMaxClips)
        refuse("the sampling job", std::to_string(job.clips()) + " clips",
               "at most " + std::to_string(kMaxClips));
}

Json toJson(const SamplingJob& job) {
    Json json = {{"checkpoints", job.checkpoints},
                 {"prompts", job.prompts},
                 {"prompt_embeddings", job.prompt_embeddings},
                 {"given_files", job.given_files},
                 {"seeds", job.seeds},
                 {"guidance", job.guidance},
                 {"steps", job.steps},
                 {"frames", job.frames},
                 {"overlap", job.overlap},
                 {"blend", job.blend}};
    // trainers that were built earlier do not know these
    if (job.negative_prompt) json["negative_prompt"] = *job.negative_prompt;
    if (job.align_poses) json["align_poses"] = *job.align_poses;
    if (!job.strength.empty()) json["strength"] = job.strength;
    for (const auto& files : kPromptFiles)
        if (!(job.*files.ofJob).empty()) json[files.key] = job.*files.ofJob;
    return json;
}

std::vector<std::string> parsePrompts(std::string_view text, const std::string& source) {
    std::vector<std::string> prompts;
    if (trim(text).starts_with('[')) {
        const Json list = parseJson(text, source);
        for (const auto& item : list) {
            if (!item.is_string()) refuse(source, item.dump(), "a list of texts");
            prompts.push_back(item.get<std::string>());
        }
    } else {
        for (const auto& line : split(text, '\n')) {
            const auto prompt = trim(line);
            if (!prompt.empty() && !prompt.starts_with('#')) prompts.emplace_back(prompt);
        }
    }
    if (prompts.empty())
        throw InputError(source + ": found no prompt, expected one a line, or a JSON list of texts.");
    return prompts;
}

std::vector<std::int64_t> parseWholeNumbers(const std::string& text, const std::string& name) {
    std::vector<std::int64_t> numbers;
    for (const auto& part : split(text, ',')) {
        const auto dots = part.find("..");
        std::int64_t first = 0, last = 0;
        const bool right = dots == std::string::npos
                               ? parseWhole(part, first) && parseWhole(part, last)
                               : parseWhole(std::string_view(part).substr(0, dots), first) &&
                                     parseWhole(std::string_view(part).substr(dots + 2), last);
        if (!right || first < 0 || last < first || last - first >= kMaxSeeds)
            refuse(name, inQuotes(text), "integers and ranges, e.g. 0..3,7");
        for (auto number = first; number <= last; ++number) numbers.push_back(number);
    }
    if (numbers.empty()) refuse(name, "nothing", "integers and ranges, e.g. 0..3,7");
    return numbers;
}

std::vector<double> parseNumbers(const std::string& text, const std::string& name) {
    std::vector<double> numbers;
    for (const auto& part : split(text, ',')) {
        double number = 0;
        if (!parseWhole(part, number) || !std::isfinite(number))
            refuse(name, inQuotes(text), "numbers, e.g. 1,2.5,4");
        numbers.push_back(number);
    }
    if (numbers.empty()) refuse(name, "nothing", "numbers, e.g. 1,2.5,4");
    return numbers;
}

}  // namespace dailies::config
