#pragma once

#include "core/base/json.h"
#include "core/config/train_config.h"
#include "trainer/checkpoint/tensor_files.h"
#include "trainer/checkpoint/tensor_index.h"
#include "trainer/tensors/params.h"
#include "trainer/tensors/tensor_range.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Everything that a run needs to go on as if it had never stopped, or, where ranks divide its tensors, one
/// rank's share of it.
struct TrainingState {
    std::int64_t step = 0;
    Params weights;
    Params average;  ///< the EMA weights; empty when the run keeps none
    Params optimizer;
    Json model;                             ///< ModelShape::toJson: what the weights fit
    Json data;                              ///< vocabulary and pixel scale that the weights were trained with
    Json config;                            ///< the whole configuration, for people
    Json progress;                          ///< counters of the loop
    std::map<std::string, double> metrics;  ///< the newest value of each: what "the best" is judged by
    TensorRanges ranges = {};               ///< of the tensors that are not whole
    Share share = {};                       ///< whose they are
};

/// The checkpoints of one run: <run>/checkpoints/step-000001000/ with weights.safetensors,
/// average.safetensors, optimizer.safetensors (in several files where they are large) and manifest.json. The
/// manifest is written last; it lists the sizes of the others and where each part of each tensor lies, so a
/// checkpoint is complete exactly when the manifest is there and the sizes agree, and any layout of ranks
/// reads it. A kill at any moment leaves the older one usable. The leading rank saves, or all ranks do, each
/// its share; all may read. Const calls may come from any thread, one save at a time.
class Checkpoints {
public:
    Checkpoints(std::filesystem::path runFolder, config::TrainConfig::Checkpoint config);

    struct Saved {
        std::string path;  ///< relative to the run folder
        std::int64_t bytes = 0;
    };

    /// Makes room for a checkpoint that several ranks are to save: the leading rank calls it before any of
    /// them begins. Throws `Error` when the disk refuses.
    void prepare(std::int64_t step) const;

    /// Writes a checkpoint, then removes complete ones that the configuration does not keep and what
    /// unfinished saves left behind. Throws `Error` when the disk refuses; the earlier checkpoints are then
    /// untouched and no trace of the new one is left.
    /// With several ranks each writes its share, and the leading one waits for the others' before it
    /// completes the checkpoint; only it throws what went wrong on another.
    Saved save(const TrainingState& state) const;

    /// The step of the newest complete checkpoint. Throws `InputError` when it is of another version's
    /// format: starting anew beside it would lose the run.
    std::optional<std::int64_t> newest() const;

    std::filesystem::path folder(std::int64_t step) const;

    /// The manifest of a complete checkpoint, and its whole state. Throw `Error` when it cannot be read.
    Json manifest(std::int64_t step) const;
    TrainingState load(std::int64_t step) const;

    /// All of a state but its tensors.
    TrainingState loadMetadata(std::int64_t step) const;
    /// Reads the numbers of a group ("weights", "average", "optimizer") into tensors, whole ones or ranges,
    /// whichever layout wrote them. Throws `Error` as `readInto` does.
    void loadInto(std::int64_t step, const std::string& group, const Params& tensors,
                  const TensorRanges& ranges = {}) const;

private:
    void removeOld(std::int64_t newest) const;
    std::set<std::filesystem::path> keptOf(const std::vector<std::filesystem::path>& complete) const;

    std::filesystem::path m_runFolder;
    config::TrainConfig::Checkpoint m_config;
};

/// The manifest of one checkpoint folder; throws `InputError` when it is none, or incomplete.
Json inspectCheckpoint(const std::filesystem::path& folder);

/// The checked index of the tensors of a manifest that `inspectCheckpoint` gave.
TensorIndex indexOf(const Json& manifest);

}  // namespace dailies::trainer
