#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/batch_job.h"
#include "core/config/sampling_job.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/training/batch_view.h"

#include <functional>
#include <map>

namespace dailies::trainer {

namespace {

struct BatchOptions {
    std::filesystem::path runFolder;
    std::filesystem::path config;  ///< empty: the job stood in the args
    config::BatchJob job;
};

BatchOptions parseBatch(const Args& args) {
    BatchOptions parsed;
    auto& job = parsed.job;
    const std::map<std::string, std::function<void(const std::string&, const std::string&)>> options = {
        {"--run-dir", [&](auto& value, auto&) { parsed.runFolder = value; }},
        {"--config", [&](auto& value, auto&) { parsed.config = value; }},
        {"--run",
         [&](auto& value, auto&) {
             job.run_folder = std::filesystem::absolute(value).lexically_normal().string();
         }},
        {"--steps", [&](auto& value, auto& name) { job.steps = config::parseWholeNumbers(value, name); }},
        {"--rank", [&](auto& value, auto& name) { job.rank = wholeNumber(value, name); }},
        {"--ranks", [&](auto& value, auto& name) { job.ranks = wholeNumber(value, name); }},
        {"--clips", [&](auto& value, auto& name) { job.clips = wholeNumber(value, name); }},
    };
    for (std::size_t i = 0; i < args.size(); i += 2) {
        const auto option = options.find(args[i]);
        if (option == options.end())
            throw InputError(
                "batch: unknown option \"" + args[i] + "\".",
                "Give --run DIR, --steps and --run-dir DIR; dailies-train help lists the others.");
        if (i + 1 == args.size()) throw InputError("batch: " + args[i] + " needs a value.");
        option->second(args[i + 1], args[i]);
    }
    if (!parsed.config.empty()) {
        job = config::parseBatchJob(readJobFile("batch", parsed.config));
        if (parsed.runFolder.empty())
            parsed.runFolder = std::filesystem::absolute(parsed.config).parent_path();
        return parsed;
    }
    if (parsed.runFolder.empty())
        throw InputError("batch: --run-dir is missing.", "Name the folder that the clips go to.");
    config::throwIfInvalid(job);
    return parsed;
}

}  // namespace

int batch(const Args& args) {
    const auto parsed = parseBatch(args);
    installStopSignals();
    requireOneProcess("batch");
    std::filesystem::create_directories(parsed.runFolder);
    if (parsed.config.empty())
        writeFileAtomically(parsed.runFolder / "config.json", config::toJson(parsed.job).dump(2) + "\n");
    RunLog log(parsed.runFolder, true);
    return runJob<BatchView>(log, parsed.job, parsed.runFolder);
}

}  // namespace dailies::trainer
