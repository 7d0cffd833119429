#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"
#include "core/exchange/import.h"
#include "core/exchange/sources/sources.h"
#include "core/tracking/schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 4> kDatabaseExtensions = {".db", ".sqlite", ".sqlite3", ".db3"};
/// Folders of programs, which may hold thousands of files that are no runs, and of runs' artifacts.
constexpr std::array<std::string_view, 5> kPassedOver = {".git", "__pycache__", "node_modules",
                                                         "site-packages", "mlartifacts"};
/// What an experiment of MLflow's file store holds beside its runs.
constexpr std::array<std::string_view, 4> kBesideRuns = {"models", "traces", "datasets", "tags"};

bool contains(const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

std::string describe(SourceKind kind, const Places& places) {
    const auto folders = static_cast<std::size_t>(std::count_if(
        places.begin(), places.end(), [](const fs::path& place) { return fs::is_directory(place); }));
    const std::size_t files = places.size() - folders;
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, const char* one, const char* many) {
        if (count > 0) parts.push_back(pluralize(static_cast<long long>(count), one, many));
    };
    switch (kind) {
        case SourceKind::Mlflow:
            add(files, "database", "databases");
            add(folders, "run folder", "run folders");
            break;
        case SourceKind::TensorBoard: {
            std::set<fs::path> parents;
            for (const auto& file : places) parents.insert(file.parent_path());
            return pluralize(static_cast<long long>(files), "event file", "event files") + " in " +
                   pluralize(static_cast<long long>(parents.size()), "folder", "folders");
        }
        case SourceKind::Wandb:
            add(files, "run file", "run files");
            add(folders, "run folder", "run folders");
            break;
        case SourceKind::Csv:
            add(files, "file", "files");
            break;
    }
    return join(parts, ", ");
}

class SourceFinder {
public:
    SourceFinder(const fs::path& except, std::stop_token stop) : m_except(except), m_stop(std::move(stop)) {}

    /// `named`: as what a person asked for it, whatever it is called.
    void file(const fs::path& file, std::optional<SourceKind> named) {
        if (named)
            m_places[*named].push_back(file);
        else if (isSqliteFile(file))
            m_places[SourceKind::Mlflow].push_back(file);
        else if (isWandbFile(file))
            m_places[SourceKind::Wandb].push_back(file);
        else if (isEventFile(file))
            m_places[SourceKind::TensorBoard].push_back(file);
        else if (isCsvFile(file))
            m_places[SourceKind::Csv].push_back(file);
    }

    void folder(const fs::path& folder) {
        if (m_stop.stop_requested()) throw Cancelled();
        if (isMlflowRunFolder(folder)) {
            m_places[SourceKind::Mlflow].push_back(folder);
            return;
        }
        std::vector<fs::path> files, folders;
        std::error_code problem;
        for (const auto& entry :
             fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, problem)) {
            if (entry.is_directory(problem)) {
                if (!entry.is_symlink(problem)) folders.push_back(entry.path());
            } else if (entry.is_regular_file(problem)) {
                files.push_back(entry.path());
            }
        }
        std::sort(files.begin(), files.end());
        std::sort(folders.begin(), folders.end());
        if (takeWandbRun(folder, files)) return;
        const bool isExperiment = fs::is_regular_file(folder / "meta.yaml", problem);
        for (const auto& file : files) fileInFolder(file);
        for (const auto& inner : folders) {
            const auto name = inner.filename().string();
            if (name == ".aim")
                exchange::addSkipped(m_found.skipped, inner.string(), "Aim runs are not supported");
            else if (!contains(kPassedOver, name) && !(isExperiment && contains(kBesideRuns, name)))
                this->folder(inner);
        }
    }

    FoundSources finish(const std::vector<SourceKind>& kinds) {
        const auto wanted = [&](SourceKind kind) { return kinds.empty() || contains(kinds, kind); };
        dropMirroredEvents();
        if (kinds.empty()) dropOtherCsv();
        for (auto& [kind, places] : m_places) {
            if (places.empty()) continue;
            const auto what = describe(kind, places);
            if (wanted(kind))
                m_found.sources.push_back({kind, std::move(places), what});
            else
                exchange::addSkipped(m_found.skipped, std::string(displayName(kind)) + " (" + what + ")",
                                     "not requested");
        }
        return std::move(m_found);
    }

private:
    void fileInFolder(const fs::path& file) {
        const std::string extension = lowered(file.extension().string());
        if (isEventFile(file))
            m_places[SourceKind::TensorBoard].push_back(file);
        else if (isCsvFile(file))
            m_places[SourceKind::Csv].push_back(file);
        else if (contains(kDatabaseExtensions, extension) && file != m_except && isSqliteFile(file))
            database(file);
    }

    void database(const fs::path& file) {
        try {
            tracking::Database opened(file, true, m_stop);
            tracking::checkForReading(opened);
            m_places[SourceKind::Mlflow].push_back(file);
        } catch (const Error& error) {
            exchange::addSkipped(m_found.skipped, file.string(), error.what());
        }
    }

    /// Whether the folder is that of a W&B run, which then has been taken with everything in it.
    bool takeWandbRun(const fs::path& folder, const std::vector<fs::path>& files) {
        bool taken = false;
        std::error_code problem;
        for (const auto& file : files) {
            if (file.extension() != ".wandb") continue;
            const auto name = folder.filename().string();  // else run files that somebody put side by side
            taken = taken || name.starts_with("run-") || name.starts_with("offline-run-") ||
                    fs::is_directory(folder / "files", problem);
            if (isWandbFile(file))
                m_places[SourceKind::Wandb].push_back(file);
            else
                exchange::addSkipped(m_found.skipped, file.string(),
                                     "it contains no run yet; some clients write it only when the run ends");
        }
        if (!taken) {
            if (folder.filename() == "files" || !isWandbRunFolder(folder)) return false;
            m_places[SourceKind::Wandb].push_back(folder);
        }
        for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                                    problem);
             !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
            if (m_stop.stop_requested()) throw Cancelled();
            if (isEventFile(entry->path())) m_mirrored.insert(entry->path().filename().string());
        }
        return true;
    }

    /// W&B copies the event files of a run that it synchronises with TensorBoard, and logs what they hold.
    void dropMirroredEvents() {
        const auto dropped = std::erase_if(m_places[SourceKind::TensorBoard], [&](const fs::path& file) {
            return m_mirrored.contains(file.filename().string());
        });
        if (dropped > 0)
            exchange::addSkipped(m_found.skipped, "event files of TensorBoard",
                                 "runs of W&B hold the same points", static_cast<std::int64_t>(dropped));
    }

    void dropOtherCsv() {
        const bool alone = std::all_of(m_places.begin(), m_places.end(), [](const auto& entry) {
            return entry.first == SourceKind::Csv || entry.second.empty();
        });
        if (alone) return;
        const auto dropped = std::erase_if(m_places[SourceKind::Csv],
                                           [](const fs::path& file) { return !hasStepColumn(file); });
        if (dropped > 0)
            exchange::addSkipped(
                m_found.skipped, "CSV files without a step column",
                "next to other trackers' runs they are not treated as metrics; import them separately",
                static_cast<std::int64_t>(dropped));
    }

    fs::path m_except;
    std::stop_token m_stop;
    std::map<SourceKind, Places> m_places;
    std::set<std::string> m_mirrored;
    FoundSources m_found;
};

}  // namespace

FoundSources findSources(const fs::path& path, const std::vector<SourceKind>& kinds, const fs::path& except,
                         std::stop_token stop) {
    std::error_code problem;
    if (!fs::exists(path, problem))
        throw InputError("There is nothing at " + path.string() + ".", "Name a file or folder that exists.");
    const fs::path source = fs::canonical(path, problem);
    if (problem) throw Error("Cannot read " + path.string() + ": " + problem.message() + ".");
    const fs::path own = fs::weakly_canonical(except, problem);
    if (source == own)
        throw InputError(path.string() + " is the store itself.",
                         "Name another file to import, or another store with --store.");
    SourceFinder finder(own, std::move(stop));
    if (fs::is_directory(source)) {
        finder.folder(source);
    } else {
        requireFile(source, "Name a file or a folder.");  // opening a FIFO would wait for ever
        finder.file(source, kinds.size() == 1 ? std::optional(kinds.front()) : std::nullopt);
    }
    return finder.finish(kinds);
}

}  // namespace dailies::exchange
