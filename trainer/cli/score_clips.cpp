#include "trainer/scoring/score_clips.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "trainer/cli/dataset_task.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"

#include <iostream>
#include <map>

namespace dailies::trainer {

namespace {

/// The options whose values are keys of the job; true: a whole number.
const std::map<std::string, std::pair<const char*, bool>> kClipScoringOptions = {
    {"--scorer", {"scorer", false}},    {"--name", {"name", false}},      {"--frames", {"frames", true}},
    {"--max-side", {"max_side", true}}, {"--threads", {"threads", true}},
};

curation::ClipScoringJob parseScoreClips(const Args& args) {
    Json json = Json::object();
    for (std::size_t i = 0; i < args.size(); ++i) {
        const auto& word = args[i];
        const auto option = kClipScoringOptions.find(word);
        if (option == kClipScoringOptions.end()) {
            if (word.starts_with("--") || json.contains("folder"))
                throw InputError("score-clips: unknown option \"" + word + "\".",
                                 "Give DIR and --scorer FILE, and perhaps --name NAME and --frames N.");
            json["folder"] = word;
            continue;
        }
        if (++i == args.size()) throw InputError("score-clips: " + word + " needs a value.");
        const auto& [key, isWhole] = option->second;
        json[key] = args[i];
        if (!isWhole) continue;
        const auto number = parseInteger(args[i]);
        if (!number)
            throw InputError("score-clips: " + word + ": found \"" + args[i] + "\", expected a number.");
        json[key] = *number;
    }
    return curation::parseClipScoringJob(json);
}

constexpr const char* kKeptScores = "The scores that came are kept.";

/// Scores with lines on standard error, until a stop signal. `task`: null for a person's.
TaskEnd scoreUntilStopped(const curation::ClipScoringJob& job, DatasetTask* task = nullptr) {
    const StopOnSignal stop;
    Pacer pacer;
    std::size_t counted = 0;
    const auto say = [](const std::string& line) {
        std::cerr << "score-clips: " + sanitizedText(line) + "\n" << std::flush;
    };
    const auto count = [&](std::size_t asked) {
        counted = asked;
        task->count(static_cast<std::int64_t>(asked), {{"clips_scored", static_cast<double>(asked)}});
    };
    const auto onProgress = [&](const ClipScoringProgress& progress) {
        if (!progress.told.empty()) say(progress.told);
        if (task && !progress.told.empty()) task->tell(progress.told);
        if (progress.asked != counted && task && task->isDue()) count(progress.asked);
        if (!pacer.isDue()) return;
        pacer.restart();
        say(std::to_string(progress.done) + " of " + std::to_string(progress.clips) + " clips" +
            (progress.waiting > 0 ? "; waiting for other tasks" : ""));
    };
    const auto summary = scoreClips(job, onProgress, stop.token());
    if (task && summary.asked != counted) count(summary.asked);
    return {summary.text()};
}

}  // namespace

int scoreClips(const Args& args) {
    if (args.size() == 2 && args[0] == "--job") {
        const auto job = curation::parseClipScoringJob(readJobFile("score-clips", args[1]));
        return runDatasetTask("score-clips", args[1], {{"folder", job.folder}, {"scorer", job.scorer}},
                              kKeptScores, [&](DatasetTask& task) { return scoreUntilStopped(job, &task); });
    }
    const auto job = parseScoreClips(args);
    return runDatasetVerb("score-clips", kKeptScores, [&] { return scoreUntilStopped(job); });
}

}  // namespace dailies::trainer
