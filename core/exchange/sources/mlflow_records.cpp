#include "core/exchange/sources/mlflow_records.h"

#include "core/base/text.h"
#include "core/exchange/derived_run_id.h"
#include "core/tracking/database.h"

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxUriBytes = 200;  // of MLflow's column

/// Null where there is nothing: MLflow's pages show an empty text as one.
void bindText(SQLite::Statement& statement, int at, const std::string& text) {
    if (text.empty())
        statement.bind(at);
    else
        statement.bind(at, sanitizedText(text));
}

void addPairs(SQLite::Database& db, const std::string& insert, const Pairs& pairs, const auto&... owner) {
    SQLite::Statement statement(db, insert);
    for (const auto& [key, value] : pairs) {
        SQLite::bind(statement, sanitizedText(key), sanitizedText(value), owner...);
        statement.exec();
        statement.reset();
    }
}

std::string textOf(SQLite::Database& db, const std::string& query, const auto&... values) {
    SQLite::Statement statement(db, query);
    SQLite::bind(statement, values...);
    return statement.executeStep() ? statement.getColumn(0).getString() : std::string();
}

void addInput(SQLite::Database& db, const DatasetInput& input) {
    SQLite::Statement run(db, "SELECT experiment_id FROM runs WHERE run_uuid = ?");
    run.bind(1, input.runId);
    if (!run.executeStep()) return;
    const std::int64_t experiment = run.getColumn(0).getInt64();
    const std::string name = sanitizedText(input.name), digest = sanitizedText(input.digest);
    constexpr const char* kFind =
        "SELECT dataset_uuid FROM datasets WHERE experiment_id = ? AND name = ? AND digest = ?";
    std::string dataset = textOf(db, kFind, experiment, name, digest);
    if (dataset.empty()) {
        dataset = derivedRunId({"dataset", std::to_string(experiment), name, digest});
        SQLite::Statement insert(db,
                                 "INSERT INTO datasets (dataset_uuid, experiment_id, name, digest, "
                                 "dataset_source_type, dataset_source, dataset_schema, dataset_profile) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        insert.bind(1, dataset);
        insert.bind(2, experiment);
        insert.bind(3, name);
        insert.bind(4, digest);
        insert.bind(5, sanitizedText(input.sourceType));
        insert.bind(6, sanitizedText(input.source));
        bindText(insert, 7, input.schema.value_or(""));
        bindText(insert, 8, input.profile.value_or(""));
        insert.exec();
    }
    SQLite::Statement link(
        db,
        "INSERT OR IGNORE INTO inputs (input_uuid, source_type, source_id, destination_type, "
        "destination_id) VALUES (?, 'DATASET', ?, 'RUN', ?)");
    SQLite::bind(link, derivedRunId({"input", dataset, input.runId}), dataset, input.runId);
    link.exec();
    const std::string id =
        textOf(db,
               "SELECT input_uuid FROM inputs WHERE source_type = 'DATASET' AND source_id = ? "
               "AND destination_type = 'RUN' AND destination_id = ?",
               dataset, input.runId);
    addPairs(db, "INSERT OR IGNORE INTO input_tags (name, value, input_uuid) VALUES (?, ?, ?)", input.tags,
             id);
}

/// Whether the version is in the store now; not if there is another one of its number.
bool addVersion(SQLite::Database& db, const std::string& model, const ModelVersion& version) {
    SQLite::Statement insert(
        db,
        "INSERT OR IGNORE INTO model_versions (name, version, creation_time, last_updated_time, description, "
        "user_id, current_stage, source, run_id, status, status_message, run_link, storage_location) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, model);
    insert.bind(2, version.version);
    insert.bind(3, version.createdMs);
    insert.bind(4, version.updatedMs);
    bindText(insert, 5, version.description);
    bindText(insert, 6, version.user);
    bindText(insert, 7, version.stage);
    bindText(insert, 8, version.source);
    bindText(insert, 9, version.runId);
    bindText(insert, 10, version.status);
    bindText(insert, 11, version.statusMessage);
    bindText(insert, 12, version.runLink);
    bindText(insert, 13, version.storage);
    if (insert.exec() == 0) {
        SQLite::Statement known(
            db, "SELECT source, run_id, creation_time FROM model_versions WHERE name = ? AND version = ?");
        SQLite::bind(known, model, version.version);
        if (known.executeStep() && (known.getColumn(0).getString() != sanitizedText(version.source) ||
                                    known.getColumn(1).getString() != version.runId ||
                                    known.getColumn(2).getInt64() != version.createdMs))
            return false;
    }
    addPairs(db,
             "INSERT OR IGNORE INTO model_version_tags (\"key\", value, name, version) VALUES (?, ?, ?, ?)",
             version.tags, model, version.version);
    return true;
}

bool hasTable(SQLite::Database& db, const char* table) {
    return db.tableExists(table);
}

/// The path of a local URI or path; nothing of another scheme.
std::optional<fs::path> localPath(const std::string& uri) {
    if (uri.starts_with("file://")) {
        std::string path;
        for (std::size_t i = std::string_view("file://").size(); i < uri.size(); ++i) {
            if (uri[i] == '%' && i + 2 < uri.size() &&
                std::isxdigit(static_cast<unsigned char>(uri[i + 1])) &&
                std::isxdigit(static_cast<unsigned char>(uri[i + 2]))) {
                path += static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16));
                i += 2;
            } else {
                path += uri[i];
            }
        }
        return path;
    }
    if (uri.find("://") != std::string::npos || uri.starts_with("mlflow-artifacts:")) return std::nullopt;
    return uri;
}

std::int64_t filesIn(const fs::path& folder, ImportSink& sink) {
    std::int64_t files = 0;
    std::error_code problem;
    for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                                problem);
         !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
        std::error_code unreadable;
        if (!entry->is_regular_file(unreadable)) continue;
        if (++files % 1'000 == 0) sink.reportProgress(folder.string());
    }
    return files;
}

}  // namespace

void addDatasetInputs(ImportSink& sink, const std::vector<DatasetInput>& inputs) {
    if (inputs.empty()) return;
    const bool done = sink.store().database().write([&](SQLite::Database& db) {
        if (!hasTable(db, "inputs") || !hasTable(db, "datasets")) return false;
        for (const auto& input : inputs) addInput(db, input);
        return true;
    });
    if (!done)
        sink.addSkipped("data sets of runs", "the store was made by an MLflow that has no table for them",
                        static_cast<std::int64_t>(inputs.size()));
}

void addExperimentTags(ImportSink& sink, const std::string& experiment, const Pairs& tags) {
    if (tags.empty()) return;
    if (sink.experimentFor(experiment) != experiment)
        return sink.addSkipped("tags of experiment " + experiment, "its runs came into another one",
                               static_cast<std::int64_t>(tags.size()));
    sink.store().database().write([&](SQLite::Database& db) {
        const std::string id =
            textOf(db, "SELECT experiment_id FROM experiments WHERE name = ?", sanitizedText(experiment));
        if (id.empty()) return;
        addPairs(db, "INSERT OR IGNORE INTO experiment_tags (\"key\", value, experiment_id) VALUES (?, ?, ?)",
                 tags, static_cast<std::int64_t>(std::stoll(id)));
    });
}

void addRegisteredModels(ImportSink& sink, const std::vector<RegisteredModel>& models) {
    std::vector<std::string> taken;
    sink.store().database().write([&](SQLite::Database& db) {
        for (const auto& model : models) {
            const std::string name = sanitizedText(model.name);
            SQLite::Statement insert(db,
                                     "INSERT OR IGNORE INTO registered_models (name, creation_time, "
                                     "last_updated_time, description) VALUES (?, ?, ?, ?)");
            insert.bind(1, name);
            insert.bind(2, model.createdMs);
            insert.bind(3, model.updatedMs);
            bindText(insert, 4, model.description);
            insert.exec();
            addPairs(db,
                     "INSERT OR IGNORE INTO registered_model_tags (\"key\", value, name) VALUES (?, ?, ?)",
                     model.tags, name);
            for (const auto& version : model.versions)
                if (!addVersion(db, name, version))
                    taken.push_back("version " + std::to_string(version.version) + " of registered model " +
                                    model.name);
            if (!hasTable(db, "registered_model_aliases")) continue;
            SQLite::Statement alias(
                db, "INSERT OR IGNORE INTO registered_model_aliases (alias, version, name) VALUES (?, ?, ?)");
            for (const auto& [called, version] : model.aliases) {
                SQLite::bind(alias, sanitizedText(called), version, name);
                alias.exec();
                alias.reset();
            }
        }
    });
    for (auto& version : taken)
        sink.addSkipped(std::move(version), "the store has another one of that number");
}

void ArtifactResolver::settle(tracking::Run& run, const fs::path& moved, ImportSink& sink) {
    std::error_code problem;
    const auto isFolder = [&](const fs::path& folder) {
        return !folder.empty() && fs::is_directory(folder, problem);
    };
    auto folder = run.artifactUri.empty() ? std::optional<fs::path>() : localPath(run.artifactUri);
    if (!folder || !isFolder(*folder)) {
        if (isFolder(moved)) {
            folder = moved;
            run.artifactUri = tracking::fileUri(moved);
        } else if (!run.artifactUri.empty() && !folder) {
            ++(run.artifactUri.starts_with("mlflow-artifacts:") ? m_served : m_elsewhere);
        }
    }
    if (folder && isFolder(*folder)) {
        const auto files = filesIn(*folder, sink);
        m_files += files;
        m_runs += files > 0 ? 1 : 0;
    } else if (folder) {
        ++m_absent;
    }
    if (run.artifactUri.size() > kMaxUriBytes) ++m_tooLong;
}

void ArtifactResolver::tell(ImportSink& sink) const {
    const auto pluralize = [](std::int64_t count, const char* one, const char* many) {
        return std::to_string(count) + " " + (count == 1 ? one : many);
    };
    if (m_files > 0)
        sink.note(pluralize(m_files, "artifact file", "artifact files") + " of " +
                  pluralize(m_runs, "run", "runs") +
                  (m_files == 1 ? " stays where it is; the run refers to it."
                                : " stay where they are; the runs refer to them."));
    if (m_elsewhere > 0)
        sink.note("The artifacts of " + pluralize(m_elsewhere, "run", "runs") +
                  " stay in their object store; the runs refer to them.");
    if (m_served > 0)
        sink.addSkipped("artifacts of runs", "a tracking server keeps them (mlflow-artifacts:)", m_served);
    if (m_absent > 0)
        sink.note("No artifacts were found of " + pluralize(m_absent, "run", "runs") +
                  ": none were logged, or they are on another machine.");
    if (m_tooLong > 0)
        sink.addSkipped("artifact folders of runs",
                        "their address is longer than the 200 bytes that a run can hold", m_tooLong);
}

}  // namespace dailies::exchange
