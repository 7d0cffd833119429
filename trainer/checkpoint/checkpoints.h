#pragma once

#include "core/base/json.h"
#include "trainer/models/params.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Everything that a run needs to go on as if it had never stopped.
struct TrainingState {
    std::int64_t step = 0;
    Params weights;
    Params average;  ///< the EMA weights; empty when the run keeps none
    Params optimizer;
    Json model;     ///< ModelShape::toJson: what the weights fit
    Json data;      ///< vocabulary and pixel scale that the weights were trained with
    Json config;    ///< the whole configuration, for people
    Json progress;  ///< counters of the loop
};

/// The checkpoints of one run: <run>/checkpoints/step-000001000/ with weights.safetensors,
/// average.safetensors, optimizer.safetensors and manifest.json. The manifest is written last and lists the
/// sizes of the others, so a checkpoint is complete exactly when the manifest is there and the sizes agree; a
/// kill at any moment leaves the older one usable. Only the leading rank saves; all may read.
class Checkpoints {
public:
    Checkpoints(std::filesystem::path runFolder, std::int64_t keep);

    struct Saved {
        std::string path;  ///< relative to the run folder
        std::int64_t bytes = 0;
    };

    /// Writes a checkpoint, then removes complete ones beyond the newest `keep` and what unfinished saves
    /// left behind. Throws `Error` when the disk refuses; the earlier checkpoints are then untouched and no
    /// trace of the new one is left.
    Saved save(const TrainingState& state) const;

    /// The step of the newest complete checkpoint.
    std::optional<std::int64_t> newest() const;

    /// The manifest of a complete checkpoint, and its whole state. Throw `Error` when it cannot be read.
    Json manifest(std::int64_t step) const;
    TrainingState load(std::int64_t step) const;

private:
    std::filesystem::path folder(std::int64_t step) const;
    std::vector<std::int64_t> completeSteps() const;  ///< ascending
    void removeOld(std::int64_t newest) const;

    std::filesystem::path m_runFolder;
    std::int64_t m_keep;
};

/// The manifest of one checkpoint folder; throws `InputError` when it is none, or incomplete.
Json inspectCheckpoint(const std::filesystem::path& folder);

}  // namespace dailies::trainer
