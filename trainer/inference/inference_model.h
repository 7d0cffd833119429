#pragma once

#include "core/config/train_config.h"
#include "trainer/data/data_source.h"
#include "trainer/data/vocabulary.h"
#include "trainer/inference/clip_sampler.h"
#include "trainer/models/model_family.h"
#include "trainer/text/text_encoder.h"
#include "trainer/tokenizers/condition_encoder.h"
#include "trainer/tokenizers/tokenizer.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// All that sampling needs of a checkpoint, and of nothing else: neither the run's folder nor its data.
class InferenceModel {
public:
    /// Reads the averaged weights, or the weights where the run kept no average, as its own samples use them.
    /// Throws `InputError` for a folder that is no complete checkpoint, or one of a model that prompts alone
    /// cannot be sampled from.
    /// `localRank`: of the ranks on this node, which each take a GPU of their own.
    explicit InferenceModel(const std::filesystem::path& checkpoint, std::int64_t localRank = 0);
    InferenceModel(const InferenceModel&) = delete;
    InferenceModel& operator=(const InferenceModel&) = delete;

    std::int64_t step() const { return m_step; }
    const config::TrainConfig& config() const { return m_config; }
    at::Device device() const { return m_device; }
    const ValueScale& scale() const { return m_scale; }
    const TextEncoder& text() const { return *m_text; }
    const Tokenizer* tokenizer() const { return m_tokenizer.get(); }
    const Model& model() const { return *m_model; }
    /// What its clips are made with; it must outlive them.
    SamplerParts parts() const {
        return {*m_text,  m_tokenizer.get(), m_conditionEncoder.get(), m_scale,
                *m_model, m_device,          m_otherExpert.get()};
    }
    const Params& weights() const { return m_weights; }
    /// Where the model is an adapter (LoRA) on top of others: with so many times what it adds. Throws
    /// `InputError` for others.
    Params weightsAt(double strength) const;
    const Judge* judge() const { return m_generator ? m_generator->judge() : nullptr; }
    /// Data that make up clips, can read them back and know whom prompts animate; null where there are none.
    const DataSource* generator() const { return m_generator.get(); }

    /// The words of the prompt that the model ignores, because no caption that it learned had them.
    std::vector<std::string> unknownWords(const std::string& prompt) const;

private:
    std::int64_t m_step = 0;
    config::TrainConfig m_config;
    at::Device m_device = at::kCPU;
    Vocabulary m_vocabulary{{}};
    ValueScale m_scale;
    std::unique_ptr<Tokenizer> m_tokenizer;
    std::unique_ptr<ConditionEncoder> m_conditionEncoder;
    std::unique_ptr<TextEncoder> m_text;
    std::unique_ptr<Model> m_model;
    Params m_weights;
    std::unique_ptr<OtherExpert> m_otherExpert;
    std::unique_ptr<DataSource> m_generator;
};

}  // namespace dailies::trainer
