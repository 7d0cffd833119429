#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/captioning/caption_clips.h"
#include "trainer/cli/dataset_task.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iostream>

namespace dailies::trainer {

namespace {

using captioning::CaptionProgress;

struct CaptionOption {
    const char* word;
    const char* key;  ///< of the job
    enum Kind { Text, Whole, Number } kind;
};

constexpr std::array kCaptionOptions = {
    CaptionOption{"--server", "server", CaptionOption::Text},
    CaptionOption{"--serve", "serve", CaptionOption::Text},
    CaptionOption{"--model", "model", CaptionOption::Text},
    CaptionOption{"--prompt", "prompt", CaptionOption::Text},
    CaptionOption{"--frames", "frames", CaptionOption::Whole},
    CaptionOption{"--max-side", "max_side", CaptionOption::Whole},
    CaptionOption{"--max-tokens", "max_tokens", CaptionOption::Whole},
    CaptionOption{"--temperature", "temperature", CaptionOption::Number},
    CaptionOption{"--parallel", "parallel", CaptionOption::Whole},
};

Json valueOf(const CaptionOption& option, const std::string& text) {
    if (option.kind == CaptionOption::Text) return text;
    if (option.kind == CaptionOption::Whole) {
        if (const auto number = parseInteger(text)) return *number;
    } else if (const auto number = parseNumber(text)) {
        return *number;
    }
    throw InputError(std::string("caption: ") + option.word + ": found \"" + text + "\", expected a number.");
}

captioning::CaptionJob parseCaption(const Args& args) {
    Json json = Json::object();
    for (std::size_t i = 0; i < args.size(); ++i) {
        const auto& word = args[i];
        const auto option = std::ranges::find(kCaptionOptions, word, &CaptionOption::word);
        if (word == "--again") {
            json["again"] = true;
        } else if (option != kCaptionOptions.end()) {
            if (++i == args.size()) throw InputError("caption: " + word + " needs a value.");
            json[option->key] = valueOf(*option, args[i]);
        } else if (!word.starts_with("--") && !json.contains("folder")) {
            json["folder"] = word;
        } else {
            throw InputError("caption: unknown option \"" + word + "\".",
                             "Give DIR and --server URL, or --serve COMMAND, and perhaps --model NAME.");
        }
    }
    return captioning::parseCaptionJob(json);
}

/// Lines on standard error: what is wrong with a caption, and every few seconds how far it is.
class CaptionLines {
public:
    void operator()(const CaptionProgress& progress) {
        if (!progress.told.empty()) say(progress.told);
        if (!m_pacer.isDue()) return;
        m_pacer.restart();
        auto line = std::to_string(progress.done) + " of " + std::to_string(progress.clips) + " clips";
        if (progress.waiting > 0) line += "; waiting for other tasks";
        say(line);
    }

private:
    static void say(const std::string& line) {
        std::cerr << "caption: " + sanitizedText(line) + "\n" << std::flush;
    }

    Pacer m_pacer;
};

/// What a task's run is told of progress: a metric every few seconds.
class CaptionCounts {
public:
    explicit CaptionCounts(DatasetTask& task) : m_task(task) {}

    void operator()(const CaptionProgress& progress) {
        if (!progress.told.empty()) m_task.tell(progress.told);
        if (progress.asked == m_asked || !m_task.isDue()) return;
        const double rate =
            static_cast<double>(progress.tokens - m_tokens) / std::max(m_task.secondsSinceCount(), 1e-3);
        m_task.count(static_cast<std::int64_t>(progress.asked),
                     {{"captions", static_cast<double>(progress.asked)}, {"tokens_per_second", rate}});
        m_asked = progress.asked;
        m_tokens = progress.tokens;
    }

private:
    DatasetTask& m_task;
    std::int64_t m_tokens = 0;
    std::size_t m_asked = 0;
};

constexpr const char* kKeptCaptions = "The captions that came are kept.";

/// Captions with lines on standard error, until a stop signal. `runFolder`: where a server's log goes.
TaskEnd captionUntilStopped(const captioning::CaptionJob& job, const std::filesystem::path& runFolder,
                            const std::function<void(const CaptionProgress&)>& alsoTell = {}) {
    CaptionLines lines;
    const StopOnSignal stop;
    const auto onProgress = [&](const CaptionProgress& progress) {
        lines(progress);
        if (alsoTell) alsoTell(progress);
    };
    return {captioning::captionClips(job, runFolder / "server.log", onProgress, stop.token()).text()};
}

}  // namespace

int caption(const Args& args) {
    if (args.size() == 2 && args[0] == "--job") {
        const auto job = captioning::parseCaptionJob(readJobFile("caption", args[1]));
        const auto folder = std::filesystem::absolute(args[1]).parent_path();
        return runDatasetTask(
            "caption", args[1], {{"folder", job.folder}, {"model", job.settings.model}}, kKeptCaptions,
            [&](DatasetTask& task) { return captionUntilStopped(job, folder, CaptionCounts(task)); });
    }
    const auto job = parseCaption(args);
    return runDatasetVerb("caption", kKeptCaptions, [&] { return captionUntilStopped(job, job.folder); });
}

}  // namespace dailies::trainer
