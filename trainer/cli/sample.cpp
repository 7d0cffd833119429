#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/schema.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"
#include "trainer/inference/sample_run.h"
#include "trainer/parallel/dist_env.h"
#include "trainer/runtime/stop_signal.h"

#include <cstdlib>
#include <functional>
#include <map>

namespace dailies::trainer {

namespace {

struct SampleOptions {
    std::filesystem::path runFolder;
    std::filesystem::path config;  ///< empty: the job stood in the args
    config::SamplingJob job;
};

SampleOptions parseSample(const Args& args) {
    SampleOptions parsed;
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
        {"--negative-prompt", [&](auto& value, auto&) { job.negative_prompt = value; }},
        {"--embeddings",
         [&](auto& value, auto&) {
             job.prompt_embeddings.push_back(std::filesystem::absolute(value).string());
         }},
        {"--given",
         [&](auto& value, auto&) {
             job.given_files.push_back(value.empty() ? value : std::filesystem::absolute(value).string());
         }},
        {"--last",
         [&](auto& value, auto&) { job.last_files.push_back(std::filesystem::absolute(value).string()); }},
        {"--reference",
         [&](auto& value, auto&) {
             job.reference_files.push_back(std::filesystem::absolute(value).string());
         }},
        {"--poses",
         [&](auto& value, auto&) { job.pose_files.push_back(std::filesystem::absolute(value).string()); }},
        {"--reference-pose",
         [&](auto& value, auto&) {
             job.reference_pose_files.push_back(std::filesystem::absolute(value).string());
         }},
        {"--align-poses",
         [&](const std::string& value, const std::string&) {
             job.align_poses =
                 config::parseValue(*config::findField("sampling.align_poses"), value).get<bool>();
         }},
        {"--seeds", [&](auto& value, auto& name) { job.seeds = config::parseWholeNumbers(value, name); }},
        {"--guidance", [&](auto& value, auto& name) { job.guidance = config::parseNumbers(value, name); }},
        {"--steps", [&](auto& value, auto& name) { job.steps = config::parseWholeNumbers(value, name); }},
        {"--strength", [&](auto& value, auto& name) { job.strength = config::parseNumbers(value, name); }},
        {"--frames", [&](auto& value, auto& name) { job.frames = wholeNumber(value, name); }},
        {"--overlap", [&](auto& value, auto& name) { job.overlap = wholeNumber(value, name); }},
        {"--blend", [&](auto& value, auto&) { job.blend = value; }},
    };
    bool jobInWords = false;
    for (std::size_t i = 0; i < args.size(); i += 2) {
        const auto option = options.find(args[i]);
        if (option == options.end())
            throw InputError("sample: unknown option \"" + args[i] + "\".",
                             "Give --checkpoint DIR, --prompts FILE and --run-dir DIR; dailies-train help "
                             "lists the others.");
        if (i + 1 == args.size()) throw InputError("sample: " + args[i] + " needs a value.");
        option->second(args[i + 1], args[i]);
        jobInWords = jobInWords || (args[i] != "--run-dir" && args[i] != "--config");
    }
    if (parsed.config.empty()) {
        if (parsed.runFolder.empty())
            throw InputError("sample: --run-dir is missing.", "Name the folder that the clips go to.");
        config::throwIfInvalid(job);
        return parsed;
    }
    if (jobInWords)
        throw InputError("sample: --config tells the whole job.",
                         "Leave the other options out, or --config.");
    job = config::parseSamplingJob(readJobFile("sample", parsed.config));
    if (parsed.runFolder.empty()) parsed.runFolder = std::filesystem::absolute(parsed.config).parent_path();
    return parsed;
}

std::vector<events::Event> earlierEvents(const std::filesystem::path& runFolder) {
    const auto file = runFolder / "events.jsonl";
    return std::filesystem::exists(file) ? events::parseChunk(readFile(file)).events
                                         : std::vector<events::Event>{};
}

}  // namespace

int sample(const Args& args) {
    const auto parsed = parseSample(args);
    installStopSignals();
    const auto ranks = distEnvFrom([](const char* name) { return std::getenv(name); });
    std::filesystem::create_directories(parsed.runFolder);
    if (parsed.config.empty() && ranks.isRank0())
        writeFileAtomically(parsed.runFolder / "config.json", config::toJson(parsed.job).dump(2) + "\n");
    const auto earlier = earlierEvents(parsed.runFolder);
    RunLog log(parsed.runFolder, ranks.isRank0());
    return runJob<SampleRun>(log, parsed.job, parsed.runFolder, earlier, ranks);
}

}  // namespace dailies::trainer
