#pragma once

#include "core/exchange/import_sink.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What MLflow keeps beside runs and the store's tables can hold: the data sets that runs were given, tags of
// experiments, registered models. What is in the store already stays as it is.
namespace dailies::exchange {

using Pairs = std::map<std::string, std::string>;

struct DatasetInput {
    std::string runId;
    std::string name, digest, sourceType, source;
    std::optional<std::string> schema{}, profile{};
    Pairs tags{};  ///< mlflow.data.context: "training"
};

struct ModelVersion {
    std::int64_t version = 0;
    std::int64_t createdMs = 0, updatedMs = 0;
    std::string description, user, stage, source, runId, status, statusMessage, runLink, storage;
    Pairs tags;
};

struct RegisteredModel {
    std::string name, description;
    std::int64_t createdMs = 0, updatedMs = 0;
    Pairs tags;
    std::map<std::string, std::int64_t> aliases;
    std::vector<ModelVersion> versions;
};

/// Of runs that are in the store. Each call is one transaction.
void addDatasetInputs(ImportSink& sink, const std::vector<DatasetInput>& inputs);
void addExperimentTags(ImportSink& sink, const std::string& experiment, const Pairs& tags);
void addRegisteredModels(ImportSink& sink, const std::vector<RegisteredModel>& models);

/// Where the files of runs are, which stay there: finds those that were moved together with their runs, and
/// tells at the end how many there are and which are not to be found.
class ArtifactResolver {
public:
    /// Settles the run's `artifactUri`. `moved`: where they lie if they moved with what is imported.
    void settle(tracking::Run& run, const std::filesystem::path& moved, ImportSink& sink);
    void tell(ImportSink& sink) const;

private:
    std::int64_t m_files = 0, m_runs = 0, m_elsewhere = 0, m_absent = 0, m_served = 0, m_tooLong = 0;
};

}  // namespace dailies::exchange
