#pragma once

#include "core/config/train_config.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/data/data_position.h"
#include "trainer/data/data_source.h"
#include "trainer/data/vocabulary.h"
#include "trainer/parallel/process_group.h"
#include "trainer/runtime/run_log.h"
#include "trainer/tensors/params.h"

#include <optional>
#include <string>

/// What a run takes over from the checkpoint that it goes on from, and what it refuses to go on with.
namespace dailies::trainer {

/// The step that all ranks resume from, nullopt for the start: the leader's view of the shared folder
/// decides.
std::optional<std::int64_t> agreedResumeStep(const Checkpoints& checkpoints, ProcessGroup& processGroup,
                                             at::Device device);

/// The checkpoint's, else the data's: weights learned with one vocabulary and scale of values mean nothing
/// with another.
/// `trainedWith`: the same of the weights that a new run begins with, an empty object where it draws them.
Vocabulary vocabularyOf(const DataSource& source, const Checkpoints& checkpoints,
                        std::optional<std::int64_t> resumeStep, const Json& trainedWith);
/// The latents' scale may be stated in a file, `data.latent_scale`. Throws `InputError` where that is wrong.
ValueScale scaleOf(const config::TrainConfig::Data& config, const DataSource& source,
                   const Checkpoints& checkpoints, std::optional<std::int64_t> resumeStep,
                   const Json& trainedWith);

/// Where the run stands in its data: at their start, or where the checkpoint left them.
ResumedData dataOf(const config::TrainConfig& config, const DataSource& training,
                   const Checkpoints& checkpoints, std::optional<std::int64_t> resumeStep);
/// One message where the data, or what a step takes of them, are others than before.
void logDataChanges(const ResumedData& data, RunLog& log);

/// Throw `InputError` where the checkpoint has another model, tokenizer (by its identity, empty for pixels),
/// image encoder (by its identity; whether there is one is the model's shape) or optimizer than the
/// configuration asks for: what differs, and what to do.
void requireSameShape(const TrainingState& saved, const Json& wanted);
void requireSameTokenizer(const TrainingState& saved, const std::string& wanted);
void requireSameImageEncoder(const TrainingState& saved, const std::string& wanted);
/// Likewise of the weights that a new run begins with.
void requireInitialTokenizer(const Json& trainedWith, const std::string& wanted);
void requireInitialImageEncoder(const Json& trainedWith, const std::string& wanted);
void requireSameOptimizer(const TrainingState& saved, const config::TrainConfig::Optimizer& wanted);

/// Each tensor of `target` becomes the one of its name; throws `Error` for another size.
void copyInto(const Params& target, const Params& source);

}  // namespace dailies::trainer
