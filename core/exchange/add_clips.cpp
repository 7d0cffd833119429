#include "core/exchange/add_clips.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/exchange/derived_run_id.h"
#include "core/tracking/imported_run.h"
#include "core/tracking/replace_clips.h"
#include "core/video/clip_file.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <sys/stat.h>
#include <thread>

namespace dailies::exchange {

namespace {

namespace fs = std::filesystem;
using tracking::ClipRecord;

/// A video that cannot be read is a clip of no frames: its place on the wall says what is wrong with it.
ClipRecord recordOf(const FolderClip& clip, const std::string& runId) {
    ClipRecord record{.runId = runId,
                      .step = clip.step,
                      .prompt = clip.prompt,
                      .seed = clip.seed,
                      .path = clip.path,
                      .adherence = {},
                      .localPath = clip.file.string()};
    try {
        const video::ClipInfo info = video::ClipReader(clip.file).info();
        record.frames = info.frames;
        record.height = info.height;
        record.width = info.width;
        record.fps = info.fps;
    } catch (const Error&) {
    }
    return record;
}

class Reader {
public:
    Reader(const ProgressHandler& progress, std::stop_token stop)
        : m_progress(progress), m_stop(std::move(stop)) {}

    std::vector<ClipRecord> read(const ClipSet& set, const std::string& runId) {
        std::vector<ClipRecord> records(set.clips.size());
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < set.clips.size() && !m_stop.stop_requested(); i = next++) {
                records[i] = recordOf(set.clips[i], runId);
                report(set.name + "/" + set.clips[i].path);
            }
        };
        {
            std::vector<std::jthread> threads;
            const auto cores = std::max(1u, std::thread::hardware_concurrency());
            for (std::size_t i = 1; i < std::min<std::size_t>(cores, set.clips.size()); ++i)
                threads.emplace_back(work);
            work();
        }
        if (m_stop.stop_requested()) throw Cancelled();
        return records;
    }

private:
    void report(const std::string& what) {
        const std::lock_guard lock(m_mutex);
        ++m_done;
        const auto now = std::chrono::steady_clock::now();
        if (!m_progress || now - m_told < std::chrono::milliseconds(100)) return;
        m_told = now;
        m_progress({.currentItem = what, .runs = m_done});
    }

    const ProgressHandler& m_progress;
    std::stop_token m_stop;
    std::mutex m_mutex;
    std::int64_t m_done = 0;
    std::chrono::steady_clock::time_point m_told{};
};

std::int64_t modifiedMs(const fs::path& file) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) != 0) return 0;
    return std::int64_t{facts.st_mtim.tv_sec} * 1000 + facts.st_mtim.tv_nsec / 1'000'000;
}

tracking::Run runOf(const ClipSet& set, const std::string& experiment) {
    tracking::Run run;
    run.id = derivedRunId({"clips", set.folder.string(), set.model});
    run.name = set.name;
    run.experiment = experiment;
    run.status = tracking::RunStatus::Finished;
    run.tags.emplace(tracking::tag::kImportedFrom, set.folder.string());
    if (!set.model.empty()) run.params.emplace("model", set.model);
    for (const FolderClip& clip : set.clips) {
        const auto time = modifiedMs(clip.file);
        if (time == 0) continue;
        run.startMs = run.startMs == 0 ? time : std::min(run.startMs, time);
        run.endMs = std::max(run.endMs.value_or(time), time);
    }
    return run;
}

std::string experimentOf(const std::vector<fs::path>& folders) {
    const auto path = fs::weakly_canonical(folders.front());
    const auto folder = fs::is_directory(path) ? path : path.parent_path();
    return folder.filename().empty() ? "clips" : sanitizedText(folder.filename().string());
}

}  // namespace

AddedClips addClips(tracking::Store& store, const std::vector<fs::path>& folders,
                    const AddClipsOptions& options, const ProgressHandler& progress, std::stop_token stop) {
    auto found = findClips(folders, options.captions, stop);
    AddedClips result;
    result.experiment = options.experiment.empty() ? experimentOf(folders) : options.experiment;
    result.skipped = std::move(found.skipped);
    Reader reader(progress, stop);
    for (const ClipSet& set : found.sets) {
        const auto run = runOf(set, result.experiment);
        const auto records = reader.read(set, run.id);
        const auto unreadable = std::ranges::count(records, 0, &ClipRecord::frames);
        if (unreadable > 0) addSkipped(result.skipped, "videos", "cannot be read", unreadable);
        if (const auto known = store.run(run.id); known && known->deleted)
            store.restoreRuns({run.id});  // who opens the folder again wants to see it
        store.importRun(run, {});
        const auto changes = tracking::replaceClips(store, run.id, records);
        result.runIds.push_back(run.id);
        result.clips += static_cast<std::int64_t>(records.size());
        result.added += changes.added;
        result.changed += changes.changed;
        result.removed += changes.removed;
    }
    return result;
}

}  // namespace dailies::exchange
