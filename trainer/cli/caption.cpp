#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/captioning/caption_clips.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"
#include "trainer/runtime/host_info.h"
#include "trainer/runtime/run_log.h"
#include "trainer/runtime/stop_signal.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <stop_token>
#include <thread>

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
        constexpr std::chrono::seconds kEvery(5);
        if (!progress.told.empty()) say(progress.told);
        const auto now = std::chrono::steady_clock::now();
        if (now - m_last < kEvery) return;
        m_last = now;
        auto line = std::to_string(progress.done) + " of " + std::to_string(progress.clips) + " clips";
        if (progress.waiting > 0) line += "; waiting for other tasks";
        say(line);
    }

private:
    static void say(const std::string& line) {
        std::cerr << "caption: " + sanitizedText(line) + "\n" << std::flush;
    }

    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

/// What a job's task tells of itself in its run's events.jsonl.
class CaptionEvents {
public:
    explicit CaptionEvents(const std::filesystem::path& runFolder) : m_log(runFolder, true) {}

    void begin(const captioning::CaptionJob& job) {
        m_log.append(events::Start{DAILIES_VERSION,
                                   hostName(),
                                   1,
                                   slurmJob(),
                                   slurmRestarts(),
                                   {{"folder", job.folder}, {"model", job.settings.model}}});
    }

    /// A metric every few seconds.
    void operator()(const CaptionProgress& progress) {
        constexpr std::chrono::seconds kEvery(5);
        if (!progress.told.empty()) m_log.append(events::Message{"info", progress.told});
        m_step = static_cast<std::int64_t>(progress.asked);
        const auto now = std::chrono::steady_clock::now();
        if (progress.asked == m_asked || now - m_last < kEvery) return;
        const double seconds = std::chrono::duration<double>(now - m_last).count();
        std::map<std::string, double> values = {
            {"captions", static_cast<double>(progress.asked)},
            {"tokens_per_second", static_cast<double>(progress.tokens - m_tokens) / seconds}};
        m_log.append(events::Metrics{m_step, std::move(values)});
        m_asked = progress.asked;
        m_tokens = progress.tokens;
        m_last = now;
    }

    void end(const std::string& status, const std::string& why) {
        m_log.append(events::End{status, m_step, why});
    }
    void tell(const std::string& text) { m_log.append(events::Message{"info", text}); }

private:
    RunLog m_log;
    std::int64_t m_step = 0, m_tokens = 0;
    std::size_t m_asked = 0;
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

/// Captions with lines on standard error, until a stop signal. `runFolder`: where a server's log goes.
captioning::CaptionSummary captionUntilStopped(
    const captioning::CaptionJob& job, const std::filesystem::path& runFolder,
    const std::function<void(const CaptionProgress&)>& alsoTell = {}) {
    CaptionLines lines;
    std::stop_source stop;
    const auto onProgress = [&](const CaptionProgress& progress) {
        lines(progress);
        if (alsoTell) alsoTell(progress);
    };
    // also while a server loads its weights or thinks
    const std::jthread watcher([&](const std::stop_token& done) {
        while (!done.stop_requested() && !stopRequested())
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (stopRequested()) stop.request_stop();
    });
    return captioning::captionClips(job, runFolder / "server.log", onProgress, stop.get_token());
}

int captionAsJob(const std::filesystem::path& file) {
    const auto job = captioning::parseCaptionJob(readJobFile("caption", file));
    installStopSignals();
    requireOneProcess("caption");
    const auto folder = std::filesystem::absolute(file).parent_path();
    CaptionEvents told(folder);
    told.begin(job);
    try {
        const auto summary =
            captionUntilStopped(job, folder, [&](const CaptionProgress& progress) { told(progress); });
        told.tell(summary.text());
        told.end("finished", "");
        std::cout << summary.text() << std::flush;
        return kDone;
    } catch (const Cancelled&) {
        told.end("stopped", "Ended by " + stopSignalName() + ". The captions that came are kept.");
        return kDone;
    } catch (const std::exception& error) {
        told.end("failed", messageOf(error));
        return report(error);
    }
}

}  // namespace

int caption(const Args& args) {
    if (args.size() == 2 && args[0] == "--job") return captionAsJob(args[1]);
    const auto job = parseCaption(args);
    installStopSignals();
    requireOneProcess("caption");
    try {
        std::cout << captionUntilStopped(job, job.folder).text() << std::flush;
        return kDone;
    } catch (const Cancelled&) {
        std::cerr << "dailies-train: caption was ended by " << stopSignalName()
                  << ". The captions that came are kept; the same command goes on.\n";
        return kFailed;
    }
}

}  // namespace dailies::trainer
