#pragma once

#include "core/config/train_config.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/data/held_out.h"
#include "trainer/data/vocabulary.h"
#include "trainer/models/model_shape.h"
#include "trainer/parallel/dist_env.h"
#include "trainer/text/text_encoder.h"
#include "trainer/tokenizers/condition_encoder.h"
#include "trainer/tokenizers/tokenizer.h"
#include "trainer/training/resume.h"

#include <filesystem>
#include <memory>
#include <optional>

namespace dailies::trainer {

/// What a run reads of its data, and with what: its clips as its model takes them, its captions, and where it
/// stands in them.
class TrainingData {
public:
    /// `resumeStep`: the checkpoint that the run goes on from, whose vocabulary, scale and position hold;
    /// `trainedWith`: of the weights that it begins with otherwise (`InitialWeights`), or an empty object.
    /// Ranks that open the same data at once share the work of it. Throws `InputError`.
    TrainingData(const config::TrainConfig& config, const std::filesystem::path& runFolder,
                 const DistEnv& ranks, at::Device device, const Checkpoints& checkpoints,
                 std::optional<std::int64_t> resumeStep, const Json& trainedWith);
    TrainingData(const TrainingData&) = delete;
    TrainingData& operator=(const TrainingData&) = delete;

    /// Null where the model learns pixels.
    const Tokenizer* tokenizer() const { return m_tokenizer.get(); }
    /// Null where it is conditioned on no pictures, too.
    const ConditionEncoder* conditionEncoder() const { return m_conditionEncoder.get(); }
    /// Empty where the model learns pixels.
    std::string tokenizerIdentity() const { return m_tokenizer ? m_tokenizer->identity() : ""; }

    DataSource& source() const { return *m_source; }
    /// The clips to train on, with indices of their own; prior ones among them.
    DataSource& training() { return m_withPrior ? *m_withPrior : m_heldOut.training(); }
    /// The others, as indices of the source.
    const std::vector<std::int64_t>& heldOut() const { return m_heldOut.indices(); }

    const Vocabulary& vocabulary() const { return m_vocabulary; }
    const TextEncoder& text() const { return *m_text; }
    const ValueScale& scale() const { return m_scale; }
    const ResumedData& resumed() const { return m_resumed; }

    /// Of the model that learns from them.
    ModelShape shape(const config::TrainConfig& config) const;

private:
    std::unique_ptr<Tokenizer> m_tokenizer;
    std::unique_ptr<ConditionEncoder> m_conditionEncoder;
    std::unique_ptr<DataSource> m_source, m_prior;  ///< `m_prior` may be null
    HeldOut m_heldOut;
    std::unique_ptr<DataSource> m_withPrior;
    Vocabulary m_vocabulary;
    ValueScale m_scale;
    std::unique_ptr<TextEncoder> m_text;
    ResumedData m_resumed;
};

}  // namespace dailies::trainer
