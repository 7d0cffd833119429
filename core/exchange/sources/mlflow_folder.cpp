// MLflow's file store: <root>/<experiment>/<run>/{meta.yaml, metrics/, params/, tags/}, deleted experiments
// in <root>/.trash. The layout is that of mlflow/store/tracking/file_store.py, releases 1.0 to 3.x.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/exchange/sources/mlflow_records.h"
#include "core/exchange/sources/mlflow_run.h"
#include "core/exchange/sources/sources.h"
#include "core/sources/mlflow_line.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

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

std::vector<tracking::MetricPoint> readMetric(const fs::path& file, ImportSink& sink) {
    std::vector<tracking::MetricPoint> points;
    const std::string text = readFile(file);
    for (const auto& line : split(text, '\n')) {
        if (trim(std::string_view(line)).empty()) continue;
        if (const auto point = sources::parseMlflowLine(line))
            points.push_back(*point);
        else
            sink.addSkipped("damaged lines in " + file.string(), "a line is \"timestamp value step\"");
    }
    return points;
}

SourceRun readRun(const fs::path& folder, ImportSink& sink) {
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
        auto points = readMetric(file, sink);
        sink.reportProgress(run.name, static_cast<std::int64_t>(points.size()));
        if (!points.empty()) found.histories[key] = std::move(points);
    });
    auto id = field(meta, "run_id");
    if (id.empty()) id = field(meta, "run_uuid");
    resolveMlflowRun(run, id.empty() ? folder.filename().string() : id);
    return found;
}

Pairs readTags(const fs::path& folder) {
    Pairs tags;
    eachKey(folder, [&](const std::string& key, const fs::path& file) { tags[key] = readFile(file); });
    return tags;
}

std::vector<fs::path> foldersIn(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator(folder, problem))
        if (entry.is_directory(problem)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

/// inputs/<id>/meta.yaml names a data set, whose own is in the experiment's folder.
std::vector<DatasetInput> readInputs(const fs::path& runFolder, const std::string& runId) {
    std::vector<DatasetInput> inputs;
    for (const auto& folder : foldersIn(runFolder / "inputs")) {
        const auto input = loadMeta(folder);
        if (field(input, "source_type") != "DATASET") continue;
        const auto set = loadMeta(runFolder.parent_path() / "datasets" / field(input, "source_id"));
        DatasetInput found{.runId = runId,
                           .name = field(set, "name"),
                           .digest = field(set, "digest"),
                           .sourceType = field(set, "source_type"),
                           .source = field(set, "source"),
                           .schema = field(set, "schema"),
                           .profile = field(set, "profile")};
        if (const auto tags = input["tags"]; tags && tags.IsMap())
            for (const auto& tag : tags) found.tags[tag.first.Scalar()] = tag.second.Scalar();
        inputs.push_back(std::move(found));
    }
    return inputs;
}

/// <root>/models/<name>/{meta.yaml, tags/, version-<n>/{meta.yaml, tags/}}
RegisteredModel readModel(const fs::path& folder) {
    const auto time = [](const YAML::Node& meta, const char* key) {
        return parseInteger(field(meta, key)).value_or(0);
    };
    const auto meta = loadMeta(folder);
    RegisteredModel model;
    model.name = field(meta, "name");
    model.description = field(meta, "description");
    model.createdMs = time(meta, "creation_timestamp");
    model.updatedMs = time(meta, "last_updated_timestamp");
    model.tags = readTags(folder / "tags");
    for (const auto& [alias, version] : readTags(folder / "aliases"))
        if (const auto number = parseInteger(trim(version))) model.aliases[alias] = *number;
    for (const auto& place : foldersIn(folder)) {
        if (!place.filename().string().starts_with("version-")) continue;
        const auto from = loadMeta(place);
        ModelVersion version;
        version.version = time(from, "version");
        version.createdMs = time(from, "creation_timestamp");
        version.updatedMs = time(from, "last_updated_timestamp");
        version.description = field(from, "description");
        version.user = field(from, "user_id");
        version.stage = field(from, "current_stage");
        version.source = field(from, "source");
        version.runId = field(from, "run_id");
        version.status = field(from, "status");
        version.statusMessage = field(from, "status_message");
        version.runLink = field(from, "run_link");
        version.storage = field(from, "storage_location");
        version.tags = readTags(place / "tags");
        model.versions.push_back(std::move(version));
    }
    return model;
}

void readRegisteredModels(const fs::path& root, ImportSink& sink) {
    std::vector<RegisteredModel> models;
    for (const auto& folder : foldersIn(root / "models")) try {
            auto model = readModel(folder);
            if (!model.name.empty()) models.push_back(std::move(model));
        } catch (const InputError& damage) {
            sink.addSkipped("the registered model in " + folder.string(), damage.what());
        }
    addRegisteredModels(sink, models);
}

/// What belongs to an experiment and not to one of its runs.
void readExperiment(const fs::path& folder, ImportSink& sink) {
    std::error_code problem;
    if (!fs::is_regular_file(folder / "meta.yaml", problem)) return;
    addExperimentTags(sink, field(loadMeta(folder), "name"), readTags(folder / "tags"));
    const auto leave = [&](const char* name, const char* called) {
        if (const auto count = foldersIn(folder / name).size(); count > 0)
            sink.addSkipped(called, "Dailies has no use for them; they stay in MLflow's folder",
                            static_cast<std::int64_t>(count));
    };
    leave("models", "logged models");
    leave("traces", "traces");
}

}  // namespace

bool isMlflowRunFolder(const fs::path& folder) {
    std::error_code problem;
    return fs::is_regular_file(folder / "meta.yaml", problem) &&
           fs::is_directory(folder / "metrics", problem) && !fs::is_directory(folder / "version-1", problem);
}

void readMlflowFolders(const fs::path& root, const Places& runFolders, ImportSink& sink) {
    const auto isAskedFor = [&](const fs::path& folder) {
        const auto inside = folder.lexically_relative(root);
        return !inside.empty() && *inside.begin() != "..";
    };
    std::set<fs::path> experiments, roots;
    ArtifactResolver artifacts;
    for (const auto& place : runFolders) try {
            auto found = readRun(place, sink);
            artifacts.settle(found.run, place / "artifacts", sink);
            const auto inputs = readInputs(place, found.run.id);
            experiments.insert(place.parent_path());
            roots.insert(place.parent_path().parent_path());
            sink.take(std::move(found));
            addDatasetInputs(sink, inputs);
        } catch (const InputError& damage) {
            sink.addSkipped("the run in " + place.string(), damage.what());
        }
    artifacts.tell(sink);
    for (const auto& folder : experiments) try {
            readExperiment(folder, sink);
        } catch (const InputError& damage) {
            sink.addSkipped("the experiment in " + folder.string(), damage.what());
        }
    for (const auto& folder : roots)
        if (isAskedFor(folder)) readRegisteredModels(folder, sink);
}

}  // namespace dailies::exchange
