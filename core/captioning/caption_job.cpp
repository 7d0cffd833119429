#include "core/captioning/caption_job.h"

#include "core/config/job_keys.h"
#include "core/digest/sha256.h"

namespace dailies::captioning {

namespace {

constexpr std::size_t kKeyDigits = 12;

Json settingsJson(const CaptionSettings& settings) {
    return {{"model", settings.model},          {"prompt", settings.prompt},
            {"frames", settings.frames},        {"max_side", settings.maxSide},
            {"max_tokens", settings.maxTokens}, {"temperature", settings.temperature}};
}

}  // namespace

std::string CaptionSettings::key() const {
    Sha256 hash;
    hash.add(settingsJson(*this).dump(-1, ' ', false, Json::error_handler_t::replace));
    return hash.hex(kKeyDigits);
}

std::vector<std::string> captionKeys() {
    return {"folder",      "model",  "prompt", "frames",   "max_side", "max_tokens",
            "temperature", "server", "serve",  "parallel", "again"};
}

CaptionJob parseCaptionJob(const Json& json) {
    using config::job::read;
    auto keys = captionKeys();
    keys.emplace_back("shared_by");
    config::job::requireKnownKeys(json, keys, "the caption job");
    CaptionJob job;
    read(json, "folder", job.folder, "a folder");
    read(json, "model", job.settings.model, "a model's name");
    read(json, "prompt", job.settings.prompt, "what to ask of each clip");
    read(json, "frames", job.settings.frames, "a whole number");
    read(json, "max_side", job.settings.maxSide, "a whole number");
    read(json, "max_tokens", job.settings.maxTokens, "a whole number");
    read(json, "temperature", job.settings.temperature, "a number");
    read(json, "server", job.server, "a URL");
    read(json, "serve", job.serve, "a command");
    read(json, "parallel", job.parallel, "a whole number");
    read(json, "again", job.again, "true or false");
    read(json, "shared_by", job.sharedBy, "letters and digits");
    throwIfInvalid(job);
    return job;
}

Json toJson(const CaptionJob& job) {
    Json json = {{"folder", job.folder}};
    json.update(settingsJson(job.settings));
    json.update({{"server", job.server},
                 {"serve", job.serve},
                 {"parallel", job.parallel},
                 {"again", job.again},
                 {"shared_by", job.sharedBy}});
    return json;
}

void throwIfInvalid(const CaptionJob& job) {
    using config::job::refuse;
    using config::job::requireWithin;
    if (job.folder.empty()) refuse("folder", "none", "one that dailies-train curate wrote");
    if (trim(job.settings.prompt).empty()) refuse("prompt", "none", "what to ask of each clip");
    requireWithin("frames", job.settings.frames, 1, 256);
    requireWithin("max_side", job.settings.maxSide, 32, 4096);
    requireWithin("max_tokens", job.settings.maxTokens, 8, 32768);
    requireWithin("parallel", job.parallel, 1, 1024);
    if (!(job.settings.temperature >= 0 && job.settings.temperature <= 2))
        refuse("temperature", shortNumber(job.settings.temperature), "0 to 2");
    if (job.server.empty() && job.serve.empty())
        refuse("server", "none",
               "the URL of an OpenAI-compatible server, or in serve a command that starts one");
    const bool isUrl = job.server.starts_with("http://") || job.server.starts_with("https://");
    if (!job.server.empty() && !isUrl)
        refuse("server", config::job::inQuotes(job.server), "a URL such as http://127.0.0.1:8000/v1");
    if (job.server.find('@') != std::string::npos)
        refuse("server", "a URL with a name or a password", "it in the variable OPENAI_API_KEY");
    config::job::requireWord("shared_by", job.sharedBy);
}

}  // namespace dailies::captioning
