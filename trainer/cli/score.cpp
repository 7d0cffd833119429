#include "core/base/error.h"
#include "core/base/files.h"
#include "core/config/sampling_job.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/scoring/score_run.h"

#include <map>

namespace dailies::trainer {

namespace {

struct ScoreOptions {
    std::filesystem::path runFolder;
    std::filesystem::path config;  ///< empty: the job stood in the args
    config::ScoringJob job;
};

/// A job is read from anywhere.
std::string absolutePath(const std::string& path) {
    auto absolute = std::filesystem::absolute(path).lexically_normal();
    if (!absolute.has_filename()) absolute = absolute.parent_path();  // "runs/1/"
    return absolute.string();
}

ScoreOptions parseScore(const Args& args) {
    ScoreOptions parsed;
    auto& job = parsed.job;
    std::map<std::string, std::string> paths, texts;
    for (std::size_t i = 0; i < args.size(); i += 2) {
        const auto& option = args[i];
        const bool isPath = option == "--run-dir" || option == "--config" || option == "--scorer" ||
                            option == "--run" || option == "--reference" || option == "--cache";
        if (!isPath && option != "--name" && option != "--steps")
            throw InputError("score: unknown option \"" + option + "\".",
                             "Give --scorer FILE, --run DIR and --run-dir DIR; dailies-train help lists the "
                             "others.");
        if (i + 1 == args.size()) throw InputError("score: " + option + " needs a value.");
        (isPath ? paths : texts)[option] = isPath ? absolutePath(args[i + 1]) : args[i + 1];
    }
    parsed.runFolder = paths["--run-dir"];
    parsed.config = paths["--config"];
    if (!parsed.config.empty()) {
        if (args.size() > (parsed.runFolder.empty() ? 2u : 4u))
            throw InputError("score: --config tells the whole job.",
                             "Leave the other options out, or --config.");
        job = config::parseScoringJob(readJobFile("score", parsed.config));
        if (parsed.runFolder.empty()) parsed.runFolder = parsed.config.parent_path();
        return parsed;
    }
    if (parsed.runFolder.empty())
        throw InputError("score: --run-dir is missing.", "Name the folder that the job's events go to.");
    job.scorer = paths["--scorer"];
    job.run_folder = paths["--run"];
    job.reference = paths["--reference"];
    job.cache = paths["--cache"];
    job.name = texts["--name"].empty() ? config::scorerNameOf(job.scorer) : texts["--name"];
    if (!texts["--steps"].empty()) job.steps = config::parseWholeNumbers(texts["--steps"], "--steps");
    config::throwIfInvalid(job);
    return parsed;
}

}  // namespace

int score(const Args& args) {
    const auto parsed = parseScore(args);
    installStopSignals();
    requireOneProcess("score");
    std::filesystem::create_directories(parsed.runFolder);
    if (parsed.config.empty())
        writeFileAtomically(parsed.runFolder / "config.json", config::toJson(parsed.job).dump(2) + "\n");
    RunLog log(parsed.runFolder, true);
    return runJob<ScoreRun>(log, parsed.job, parsed.runFolder);
}

}  // namespace dailies::trainer
