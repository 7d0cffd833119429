#include "core/exchange/import.h"

#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/exchange/sources/sources.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

constexpr std::array kKinds = {
    std::pair{SourceKind::Mlflow, std::string_view("mlflow")},
    std::pair{SourceKind::TensorBoard, std::string_view("tensorboard")},
    std::pair{SourceKind::Wandb, std::string_view("wandb")},
    std::pair{SourceKind::Csv, std::string_view("csv")},
};

constexpr const char* kAccepted =
    "Accepted are MLflow databases and mlruns folders, TensorBoard event files, W&B offline runs and CSV "
    "files.";

std::int64_t read(SourceKind kind, const fs::path& path, Intake& intake) {
    switch (kind) {
        case SourceKind::Mlflow:
            if (fs::is_directory(path)) return readMlflowFolder(path, intake);
            return readMlflowFile(path, intake);
        case SourceKind::TensorBoard:
            return readTensorBoard(path, intake);
        case SourceKind::Wandb:
            return readWandb(path, intake);
        case SourceKind::Csv:
            return readCsv(path, intake);
    }
    return 0;
}

}  // namespace

std::string_view toText(SourceKind kind) {
    return kKinds[static_cast<std::size_t>(kind)].second;
}

std::optional<SourceKind> sourceKind(std::string_view text) {
    for (const auto& [kind, name] : kKinds)
        if (name == text) return kind;
    return std::nullopt;
}

std::vector<fs::path> filesBelow(const fs::path& fileOrFolder, bool (*wanted)(const fs::path&)) {
    if (!fs::is_directory(fileOrFolder)) return {fileOrFolder};
    std::vector<fs::path> found;
    std::error_code problem;
    for (fs::recursive_directory_iterator entry(fileOrFolder, fs::directory_options::skip_permission_denied,
                                                problem);
         !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem))
        if (entry->is_regular_file(problem) && wanted(entry->path())) found.push_back(entry->path());
    std::sort(found.begin(), found.end());
    return found;
}

std::optional<SourceKind> detectSource(const fs::path& path) {
    if (!fs::is_directory(path)) {
        if (isMlflowFile(path)) return SourceKind::Mlflow;
        if (isWandbFile(path)) return SourceKind::Wandb;
        if (isEventFile(path)) return SourceKind::TensorBoard;
        if (isCsvFile(path)) return SourceKind::Csv;
        return std::nullopt;
    }
    if (holdsMlflowRuns(path)) return SourceKind::Mlflow;
    bool events = false, csv = false;
    std::error_code problem;
    if (isWandbRunFolder(path)) return SourceKind::Wandb;
    for (fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, problem);
         !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
        if (entry->is_directory(problem)) {
            if (isWandbRunFolder(entry->path())) return SourceKind::Wandb;
            continue;
        }
        if (!entry->is_regular_file(problem)) continue;
        // W&B mirrors event files beside its own, so those alone decide nothing yet
        if (isWandbFile(entry->path())) return SourceKind::Wandb;
        events = events || isEventFile(entry->path());
        csv = csv || isCsvFile(entry->path());
    }
    if (events) return SourceKind::TensorBoard;
    if (csv) return SourceKind::Csv;
    return std::nullopt;
}

ImportSummary importFrom(tracking::Store& store, const fs::path& path, const ImportOptions& options,
                         const ProgressHandler& progress, std::stop_token stop) {
    std::error_code problem;
    if (!fs::exists(path, problem))
        throw InputError("There is nothing at " + path.string() + ".", "Name a file or folder that exists.");
    const fs::path source = fs::canonical(path, problem);
    if (problem) throw Error("Cannot read " + path.string() + ": " + problem.message() + ".");
    if (source == fs::weakly_canonical(store.file()))
        throw InputError(path.string() + " is the store itself.",
                         "Name another file to import, or another store with --store.");

    if (!fs::is_directory(source)) requireFile(source, kAccepted);
    const auto kind = options.kind ? options.kind : detectSource(source);
    if (!kind) throw InputError(path.string() + " holds no runs that can be imported.", kAccepted);

    Intake intake(store, source, options, progress, stop);
    intake.reading(source.filename().string());
    if (read(*kind, source, intake) == 0) {
        auto summary = intake.finish(*kind);
        std::string why;
        for (const auto& entry : summary.leftOut) why += " " + entry.what + ": " + entry.why + ".";
        throw InputError("No runs were found in " + path.string() + "." + why, kAccepted);
    }
    return intake.finish(*kind);
}

}  // namespace dailies::exchange
