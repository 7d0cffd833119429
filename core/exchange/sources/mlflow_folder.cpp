// MLflow's file store: <root>/<experiment>/<run>/{meta.yaml, metrics/, params/, tags/}, deleted experiments
// in <root>/.trash. The layout is that of mlflow/store/tracking/file_store.py, releases 1.0 to 3.x.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/exchange/numbers.h"
#include "core/exchange/sources/mlflow_run.h"
#include "core/exchange/sources/sources.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

bool isRunFolder(const fs::path& folder) {
    std::error_code problem;
    return fs::is_regular_file(folder / "meta.yaml", problem) &&
           fs::is_directory(folder / "metrics", problem);
}

/// Run folders at most three levels down (root, .trash, experiment); their own contents are not searched.
std::vector<fs::path> runFolders(const fs::path& folder, int levels, bool firstOnly) {
    if (isRunFolder(folder)) return {folder};
    std::vector<fs::path> found;
    if (levels == 0) return found;
    std::vector<fs::path> children;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder, problem))
        if (entry.is_directory(problem) && !entry.is_symlink(problem)) children.push_back(entry.path());
    std::sort(children.begin(), children.end());
    for (const auto& child : children) {
        const auto more = runFolders(child, levels - 1, firstOnly);
        found.insert(found.end(), more.begin(), more.end());
        if (firstOnly && !found.empty()) break;
    }
    return found;
}

std::string field(const YAML::Node& meta, const char* name) {
    const auto value = meta[name];
    return value && value.IsScalar() && !value.IsNull() ? value.Scalar() : std::string();
}

YAML::Node loadMeta(const fs::path& folder) {
    const auto file = folder / "meta.yaml";
    try {
        auto meta = YAML::LoadFile(file.string());
        if (meta.IsMap()) return meta;
    } catch (const YAML::Exception&) {
    }
    throw InputError(file.string() + " is not readable as YAML");
}

/// Calls `take(key, file)` for each file of a folder whose keys may hold slashes and so be folders.
template <class Take>
void eachKey(const fs::path& folder, Take&& take) {
    std::error_code problem;
    for (fs::recursive_directory_iterator entry(folder, problem);
         !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem))
        if (entry->is_regular_file(problem))
            take(entry->path().lexically_relative(folder).generic_string(), entry->path());
}

/// "timestamp value step" a line; the earliest releases had no step.
std::vector<tracking::MetricPoint> readMetric(const fs::path& file, Intake& intake) {
    std::vector<tracking::MetricPoint> points;
    const std::string text = readFile(file);
    for (const auto& line : split(text, '\n')) {
        const auto fields = split(std::string(trim(line)), ' ');
        if (fields.empty()) continue;
        const auto time = parseInteger(fields[0]);
        const auto value = fields.size() > 1 ? parseNumber(fields[1]) : std::nullopt;
        const auto step = fields.size() > 2 ? parseInteger(fields[2]) : std::optional<std::int64_t>(0);
        if (time && value && step)
            points.push_back({*step, *time, *value});
        else
            intake.leaveOut("damaged lines in " + file.string(), "a line is \"timestamp value step\"");
    }
    return points;
}

SourceRun readRun(const fs::path& folder, Intake& intake) {
    SourceRun found;
    auto& run = found.run;
    const auto meta = loadMeta(folder);
    run.name = field(meta, "run_name");
    // numbers of mlflow.entities.RunStatus; some releases wrote its names
    const auto status = field(meta, "status");
    static const std::map<std::string, tracking::RunStatus> kNumbers = {{"1", tracking::RunStatus::Running},
                                                                        {"2", tracking::RunStatus::Scheduled},
                                                                        {"3", tracking::RunStatus::Finished},
                                                                        {"5", tracking::RunStatus::Killed}};
    const auto number = kNumbers.find(status);
    run.status = number != kNumbers.end() ? number->second : mlflowStatus(status);
    run.startMs = parseInteger(field(meta, "start_time")).value_or(0);
    run.endMs = parseInteger(field(meta, "end_time"));
    run.deleted = field(meta, "lifecycle_stage") == "deleted";
    run.user = field(meta, "user_id");
    run.artifactUri = field(meta, "artifact_uri");
    run.experiment = folder.parent_path().filename().string();
    if (fs::is_regular_file(folder.parent_path() / "meta.yaml")) {
        const auto experiment = loadMeta(folder.parent_path());
        if (const auto name = field(experiment, "name"); !name.empty()) run.experiment = name;
        run.deleted = run.deleted || field(experiment, "lifecycle_stage") == "deleted";
    }

    eachKey(folder / "params",
            [&](const std::string& key, const fs::path& file) { run.params[key] = readFile(file); });
    eachKey(folder / "tags",
            [&](const std::string& key, const fs::path& file) { run.tags[key] = readFile(file); });
    eachKey(folder / "metrics", [&](const std::string& key, const fs::path& file) {
        auto points = readMetric(file, intake);
        intake.reading(run.name, static_cast<std::int64_t>(points.size()));
        if (!points.empty()) found.histories[key] = std::move(points);
    });
    auto id = field(meta, "run_id");
    if (id.empty()) id = field(meta, "run_uuid");
    settleMlflowRun(run, id.empty() ? folder.filename().string() : id);
    return found;
}

constexpr int kLevels = 3;

}  // namespace

bool holdsMlflowRuns(const fs::path& folder) {
    return !runFolders(folder, kLevels, true).empty();
}

std::int64_t readMlflowFolder(const fs::path& folder, Intake& intake) {
    std::int64_t runs = 0;
    for (const auto& place : runFolders(folder, kLevels, false)) {
        try {
            intake.take(readRun(place, intake));
            ++runs;
        } catch (const InputError& damage) {
            intake.leaveOut("the run in " + place.string(), damage.what());
        }
    }
    return runs;
}

}  // namespace dailies::exchange
