#include "core/curation/curate.h"

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/curation/curation_job.h"
#include "trainer/cli/dataset_task.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <thread>

namespace dailies::trainer {

namespace {

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
        } else if (word == "--write-previews") {
            options.writePreviews = true;
        } else if (word != "--out" && word != "--config" && word != "--threads") {
            throw InputError("curate: unknown option \"" + word + "\".",
                             "Give FILMS… --out DIR, and perhaps --config FILE, --threads N, --write-clips "
                             "and --write-previews.");
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
        const auto place = "curate: " + std::to_string(progress.filmsDone) + " of " +
                           std::to_string(progress.films) + " films";
        if (!progress.problem.empty())
            say(place + ": " + progress.finished + " failed: " + progress.problem);
        else if (!progress.finished.empty())
            say(place + ": " + progress.finished);
        else if (!m_pacer.isDue())
            return;
        else if (progress.waiting > 0)
            say(place + "; waiting for " + std::to_string(progress.waiting) +
                " that other tasks are working on");
        else if (progress.clips > 0)
            say("curate: " + std::to_string(progress.clipsWritten) + " of " + std::to_string(progress.clips) +
                " clips written");
        else
            say(place + ", " + rateText(progress.framesDecoded));
        m_pacer.restart();
    }

private:
    std::string rateText(std::int64_t frames) const {
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - m_began).count();
        return std::to_string(frames) + " frames, " +
               std::to_string(static_cast<std::int64_t>(static_cast<double>(frames) / seconds)) + " a second";
    }

    static void say(const std::string& line) { std::cerr << sanitizedText(line) + "\n" << std::flush; }

    std::chrono::steady_clock::time_point m_began = std::chrono::steady_clock::now();
    Pacer m_pacer;
};

/// What a task's run is told of progress: a metric for each film that it decoded and, every few seconds, for
/// the clips that it wrote.
class CurationCounts {
public:
    explicit CurationCounts(DatasetTask& task) : m_task(task) {}

    void operator()(const curation::CurateProgress& progress) {
        if (!progress.problem.empty()) m_task.warn(progress.finished + ": " + progress.problem);
        const bool isFilm = progress.own > m_films;
        if (!isFilm && (progress.clipsWritten == m_clips || !m_task.isDue())) return;
        std::map<std::string, double> values = {{"films", static_cast<double>(progress.own)},
                                                {"films_of_all", static_cast<double>(progress.filmsDone)}};
        if (isFilm)
            values["frames_per_second"] = static_cast<double>(progress.framesDecoded - m_frames) /
                                          std::max(m_task.secondsSinceCount(), 1e-3);
        else
            values["clips_written"] = static_cast<double>(progress.clipsWritten);
        m_task.count(static_cast<std::int64_t>(progress.own + progress.clipsWritten), std::move(values));
        m_films = progress.own;
        m_clips = progress.clipsWritten;
        m_frames = progress.framesDecoded;
    }

private:
    DatasetTask& m_task;
    std::int64_t m_frames = 0;
    std::size_t m_films = 0, m_clips = 0;
};

constexpr const char* kKept = "The films that were decoded are kept.";

/// Curates with lines on standard error, until a stop signal.
TaskEnd curateUntilStopped(const curation::CurateOptions& options,
                           const std::function<void(const curation::CurateProgress&)>& alsoTell = {}) {
    CurationLines lines;
    const StopOnSignal stop;
    const auto onProgress = [&](const curation::CurateProgress& progress) {
        lines(progress);
        if (alsoTell) alsoTell(progress);
    };
    const auto summary = curation::curate(options, onProgress, stop.token());
    const bool allFailed = summary.films == static_cast<int>(summary.failed.size());
    return {summary.text(), allFailed ? "None of the films could be decoded." : ""};
}

}  // namespace

int curate(const Args& args) {
    if (args.size() == 2 && args[0] == "--job") {
        const auto job = curation::parseCurationJob(readJobFile("curate", args[1]));
        return runDatasetTask(
            "curate", args[1], {{"threads", job.threads}, {"out", job.out}}, kKept, [&](DatasetTask& task) {
                const auto options = curation::optionsOf(job);
                auto end = curateUntilStopped(options, CurationCounts(task));
                if (const auto balance = curation::balanceOf(options).text(); !balance.empty())
                    task.tell(balance);
                return end;
            });
    }
    const auto options = parseCurate(args);
    return runDatasetVerb("curate", kKept, [&] { return curateUntilStopped(options); });
}

}  // namespace dailies::trainer
