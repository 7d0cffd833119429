#include "core/curation/curate.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"
#include "trainer/runtime/stop_signal.h"

#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

namespace dailies::trainer {

namespace {

using CurationClock = std::chrono::steady_clock;

curation::CurateOptions parseCurate(const Args& args) {
    curation::CurateOptions options;
    options.threads = std::max(1U, std::thread::hardware_concurrency());
    bool onlyFilms = false, hasConfig = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const auto& word = args[i];
        if (word == "--" && !onlyFilms) {
            onlyFilms = true;
        } else if (onlyFilms || !word.starts_with("--")) {
            options.films.emplace_back(word);
        } else if (word == "--write-clips") {
            options.writeClips = true;
        } else if (word != "--out" && word != "--config" && word != "--threads") {
            throw InputError(
                "curate: unknown option \"" + word + "\".",
                "Give FILMS… --out DIR, and perhaps --config FILE, --threads N and --write-clips.");
        } else if (++i == args.size()) {
            throw InputError("curate: " + word + " needs a value.");
        } else if (word == "--out") {
            options.out = args[i];
        } else if (word == "--config") {
            options.config = curation::parseCurationConfig(readJobFile("curate", args[i]));
            hasConfig = true;
        } else {
            const auto threads = parseInteger(args[i]);
            if (!threads || *threads < 1 || *threads > 1024)
                throw InputError("curate: --threads: found \"" + args[i] + "\", expected 1 to 1024.");
            options.threads = static_cast<unsigned>(*threads);
        }
    }
    if (options.films.empty())
        throw InputError("curate: no film is named.", "Name films, or folders of them.");
    if (options.out.empty())
        throw InputError("curate: --out is missing.", "Name the folder for clips.jsonl.");
    if (!hasConfig) options.config = curation::loadCurationConfig(options.out);
    return options;
}

/// Lines on standard error: one a film, and every few seconds one that says how fast it goes.
class CurationLines {
public:
    void operator()(const curation::CurateProgress& progress) {
        constexpr std::chrono::seconds kEvery(5);
        const auto now = CurationClock::now();
        const auto place = "curate: " + std::to_string(progress.filmsDone) + " of " +
                           std::to_string(progress.films) + " films";
        if (!progress.problem.empty())
            say(place + ": " + progress.finished + " failed: " + progress.problem);
        else if (!progress.finished.empty())
            say(place + ": " + progress.finished);
        else if (now - m_last >= kEvery && progress.clips > 0)
            say("curate: " + std::to_string(progress.clipsWritten) + " of " + std::to_string(progress.clips) +
                " clips written");
        else if (now - m_last >= kEvery)
            say(place + ", " + rateText(progress.framesDecoded, now));
        else
            return;
        m_last = now;
    }

private:
    std::string rateText(std::int64_t frames, CurationClock::time_point now) const {
        const double seconds = std::chrono::duration<double>(now - m_began).count();
        return std::to_string(frames) + " frames, " +
               std::to_string(static_cast<std::int64_t>(static_cast<double>(frames) / seconds)) + " a second";
    }

    static void say(const std::string& line) { std::cerr << sanitizedText(line) + "\n" << std::flush; }

    CurationClock::time_point m_began = CurationClock::now(), m_last = m_began;
};

}  // namespace

int curate(const Args& args) {
    const auto options = parseCurate(args);
    installStopSignals();
    requireOneProcess("curate");
    CurationLines lines;
    std::stop_source stop;
    const auto onProgress = [&](const curation::CurateProgress& progress) {
        lines(progress);
        if (stopRequested()) stop.request_stop();
    };
    try {
        const auto summary = curation::curate(options, onProgress, stop.get_token());
        std::cout << summary.text() << std::flush;
        return summary.films == static_cast<int>(summary.failed.size()) ? kFailed : kDone;
    } catch (const Cancelled&) {
        std::cerr << "dailies-train: curate was ended by " << stopSignalName()
                  << ". The films that were decoded are kept; the same command goes on.\n";
        return kFailed;
    }
}

}  // namespace dailies::trainer
