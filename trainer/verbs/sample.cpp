#include "core/base/error.h"
#include "core/base/files.h"
#include "trainer/parallel/ranks.h"
#include "trainer/sample_run.h"
#include "trainer/stop_signal.h"
#include "trainer/verbs/job_words.h"
#include "trainer/verbs/verbs.h"

#include <cstdlib>
#include <functional>
#include <map>

namespace dailies::trainer {

namespace {

struct SampleWords {
    std::filesystem::path runFolder;
    std::filesystem::path config;  ///< empty: the job stood in the words
    config::SamplingJob job;
};

std::int64_t wholeNumber(const std::string& text, const std::string& name) {
    const auto numbers = config::parseWholeNumbers(text, name);
    if (numbers.size() != 1) throw InputError(name + ": found " + text + ", expected a whole number.");
    return numbers.front();
}

SampleWords parseSample(const Words& words) {
    SampleWords parsed;
    auto& job = parsed.job;
    const std::map<std::string, std::function<void(const std::string&, const std::string&)>> options = {
        {"--run-dir", [&](auto& value, auto&) { parsed.runFolder = value; }},
        {"--config", [&](auto& value, auto&) { parsed.config = value; }},
        {"--checkpoint",
         [&](auto& value, auto&) {
             // a run directory is read from anywhere
             job.checkpoints.push_back(std::filesystem::absolute(value).lexically_normal().string());
         }},
        {"--prompt", [&](auto& value, auto&) { job.prompts.push_back(value); }},
        {"--prompts",
         [&](auto& value, auto&) {
             for (auto& prompt : config::parsePrompts(readFile(value), value))
                 job.prompts.push_back(std::move(prompt));
         }},
        {"--embeddings",
         [&](auto& value, auto&) {
             job.prompt_embeddings.push_back(std::filesystem::absolute(value).string());
         }},
        {"--given",
         [&](auto& value, auto&) {
             job.given_files.push_back(value.empty() ? value : std::filesystem::absolute(value).string());
         }},
        {"--seeds", [&](auto& value, auto& name) { job.seeds = config::parseWholeNumbers(value, name); }},
        {"--guidance", [&](auto& value, auto& name) { job.guidance = config::parseNumbers(value, name); }},
        {"--steps", [&](auto& value, auto& name) { job.steps = config::parseWholeNumbers(value, name); }},
        {"--frames", [&](auto& value, auto& name) { job.frames = wholeNumber(value, name); }},
        {"--overlap", [&](auto& value, auto& name) { job.overlap = wholeNumber(value, name); }},
        {"--blend", [&](auto& value, auto&) { job.blend = value; }},
    };
    bool jobInWords = false;
    for (std::size_t i = 0; i < words.size(); i += 2) {
        const auto option = options.find(words[i]);
        if (option == options.end())
            throw InputError("sample: unknown option \"" + words[i] + "\".",
                             "Give --checkpoint DIR, --prompts FILE and --run-dir DIR; dailies-train help "
                             "lists the others.");
        if (i + 1 == words.size()) throw InputError("sample: " + words[i] + " needs a value.");
        option->second(words[i + 1], words[i]);
        jobInWords = jobInWords || (words[i] != "--run-dir" && words[i] != "--config");
    }
    if (parsed.config.empty()) {
        if (parsed.runFolder.empty())
            throw InputError("sample: --run-dir is missing.", "Name the folder that the clips go to.");
        config::requireSound(job);
        return parsed;
    }
    if (jobInWords)
        throw InputError("sample: --config tells the whole job.",
                         "Leave the other options out, or --config.");
    job = config::parseSamplingJob(jobOfFile("sample", parsed.config));
    if (parsed.runFolder.empty()) parsed.runFolder = std::filesystem::absolute(parsed.config).parent_path();
    return parsed;
}

std::vector<events::Event> earlierEvents(const std::filesystem::path& runFolder) {
    const auto file = runFolder / "events.jsonl";
    return std::filesystem::exists(file) ? events::parseChunk(readFile(file)).events
                                         : std::vector<events::Event>{};
}

}  // namespace

int sample(const Words& words) {
    const auto parsed = parseSample(words);
    installStopSignals();
    const auto ranks = ranksFromEnvironment([](const char* name) { return std::getenv(name); });
    std::filesystem::create_directories(parsed.runFolder);
    if (parsed.config.empty() && ranks.leads())
        writeFileAtomically(parsed.runFolder / "config.json", config::toJson(parsed.job).dump(2) + "\n");
    const auto earlier = earlierEvents(parsed.runFolder);
    RunLog log(parsed.runFolder, ranks.leads());
    std::unique_ptr<SampleRun> run;
    try {
        run = std::make_unique<SampleRun>(parsed.job, parsed.runFolder, earlier, ranks, log);
        const auto end = run->run();
        log.append(end);
        return end.status == "failed" ? kFailed : kDone;
    } catch (const std::exception& error) {
        log.append(events::End{"failed", run ? run->step() : 0, messageOf(error)});
        return report(error);
    }
}

}  // namespace dailies::trainer
