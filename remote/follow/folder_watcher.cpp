#include "remote/follow/folder_watcher.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "core/tracking/imported_run.h"
#include "remote/follow/clip_facts.h"
#include "remote/follow/run_folders.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace dailies::remote {

namespace {

namespace fs = std::filesystem;

/// More runs than anybody looks at in one folder: a root was meant to be another one.
constexpr std::size_t kMostRuns = 2'000;

std::string shownName(const std::string& folder) {
    const auto name = fs::path(folder).filename().string();
    return sanitizedText(name.empty() ? folder : name);
}

}  // namespace

FolderWatcher::FolderWatcher(FileReader read, tracking::Store& store, std::vector<std::string> folders,
                             Options options)
    : m_read(std::move(read)),
      m_store(store),
      m_folders(std::move(folders)),
      m_options(std::move(options)),
      m_sources(m_read, store, m_options.mirror) {}

std::string FolderWatcher::idOf(const std::string& folder) const {
    Sha256 digest;
    for (const std::string& part : {std::string("watched"), m_options.cluster, folder}) {
        digest.addNumber(part.size());  // so that {"a", "bc"} is not {"ab", "c"}
        digest.add(part);
    }
    return digest.hex(kIdDigits);
}

FolderWatcher::Report FolderWatcher::poll(std::stop_token stop) {
    Report report;
    if (const auto now = std::chrono::steady_clock::now(); now >= m_nextFind) {
        findRuns(report, stop);
        m_nextFind = now + m_options.findEvery;
    }
    // one attempt each: which process wrote a file is not known
    std::map<std::string, std::vector<AttemptRecord>> runs;
    std::map<std::string, SourceFollower::Place> places;
    for (const auto& [id, run] : m_runs) {
        runs[id] = {AttemptRecord{}};
        places[id] = run.place;
    }
    const auto read = m_sources.poll(runs, places, stop);
    report.changedRuns.insert(read.changedRuns.begin(), read.changedRuns.end());
    for (const std::string& id : read.changedRuns)
        if (m_options.cluster.empty()) showClips(id, m_runs.at(id));
    report.runs = static_cast<int>(m_runs.size());
    report.activeRuns = static_cast<int>(
        std::ranges::count_if(m_runs, [](const auto& entry) { return entry.second.isActive; }));
    return report;
}

void FolderWatcher::findRuns(Report& report, std::stop_token stop) {
    std::vector<ReadFiles> roots;
    std::map<std::string, std::string> rootOf;
    for (const std::string& folder : m_folders) {
        roots.push_back({.runId = idOf(folder), .folder = folder});
        rootOf[roots.back().runId] = folder;
    }
    std::map<std::string, std::vector<FileUpdate>> files;
    for (auto& file : m_read(roots, Bring::Names, stop))
        files[rootOf.at(file.runId)].push_back(std::move(file));
    for (auto& [root, found] : files) {
        std::vector<std::string> paths;
        for (const FileUpdate& file : found) paths.push_back(file.path);
        const auto folders = runFolders(paths);
        std::map<std::string, Watched> byFolder;
        for (const FileUpdate& file : found) {
            // the innermost: later in the order of names
            const auto owner = std::find_if(folders.rbegin(), folders.rend(), [&](const std::string& folder) {
                return folder.empty() || file.path.starts_with(folder + "/");
            });
            if (owner == folders.rend()) continue;
            Watched& run = byFolder[*owner];
            run.newestMs = std::max(run.newestMs, file.modifiedMs);
            run.oldestMs = run.oldestMs == 0 ? file.modifiedMs : std::min(run.oldestMs, file.modifiedMs);
        }
        for (const auto& [folder, run] : byFolder) add(root, folder, run, report);
    }
}

void FolderWatcher::add(const std::string& root, const std::string& folder, const Watched& found,
                        Report& report) {
    const std::string absolute = folder.empty() ? root : root + "/" + folder;
    const std::string id = idOf(absolute);
    const bool isKnown = m_runs.contains(id);
    if (!isKnown && m_runs.size() >= kMostRuns)
        throw InputError(
            "More than " + std::to_string(kMostRuns) + " runs lie in " + sanitizedText(root) + ".",
            "Watch a folder further down.");
    Watched& run = m_runs[id];
    run.newestMs = found.newestMs;
    if (!isKnown) {
        run.folder = absolute;
        run.place = {.folder = absolute, .prefix = isMlflowRun(absolute) ? shownName(absolute) : ""};
        if (!m_store.run(id)) {
            tracking::Run created;
            created.id = id;
            created.name = folder.empty() ? shownName(root) : sanitizedText(folder);
            created.experiment = shownName(root);
            created.status = tracking::RunStatus::Running;
            created.startMs = found.oldestMs;
            created.tags.emplace(tracking::tag::kImportedFrom,
                                 m_options.cluster.empty() ? absolute : m_options.cluster + ":" + absolute);
            m_store.createRun(created);
        }
        if (!m_options.rules.isEmpty())
            m_store.setTag(id, tracking::tag::kSourceRules, rules::toText(m_options.rules));
        report.newRuns.push_back(id);
        report.changedRuns.insert(id);
    }
    refreshStatus(id, run, report);
}

void FolderWatcher::refreshStatus(const std::string& runId, Watched& run, Report& report) {
    using std::chrono::milliseconds;
    run.isActive = unixMillis() - run.newestMs < milliseconds(m_options.quietFor).count();
    const auto stored = m_store.run(runId);
    if (!stored) return;
    const auto status = run.isActive ? tracking::RunStatus::Running : tracking::RunStatus::Finished;
    if (stored->status == status) return;
    m_store.setStatus(runId, status, run.isActive ? std::nullopt : std::optional(run.newestMs));
    report.changedRuns.insert(runId);
}

/// On this machine they are played from where they lie.
void FolderWatcher::showClips(const std::string& runId, const Watched& run) {
    const fs::path above =
        run.place.prefix.empty() ? fs::path(run.folder) : fs::path(run.folder).parent_path();
    for (const tracking::ClipRecord& clip : m_store.clipsWithoutFile(runId))
        playFrom(m_store, clip, above / clip.path);
}

}  // namespace dailies::remote
