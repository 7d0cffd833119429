#include "trainer/training/training_data.h"

#include "trainer/data/prior_clips.h"
#include "trainer/tokenizers/tokenized_source.h"

namespace dailies::trainer {

namespace {

/// `clips` may be null.
std::unique_ptr<DataSource> tokenized(std::unique_ptr<DataSource> clips, const Tokenizer* tokenizer,
                                      const ConditionEncoder* conditionEncoder,
                                      const std::filesystem::path& cache) {
    if (!clips || !tokenizer) return clips;
    return std::make_unique<TokenizedSource>(std::move(clips), *tokenizer, cache, conditionEncoder);
}

}  // namespace

TrainingData::TrainingData(const config::TrainConfig& config, const std::filesystem::path& runFolder,
                           const DistEnv& ranks, at::Device device, const Checkpoints& checkpoints,
                           std::optional<std::int64_t> resumeStep, const Json& trainedWith)
    : m_tokenizer(makeTokenizer(config.tokenizer, device)),
      m_conditionEncoder(makeConditionEncoder(config.model, m_tokenizer.get(), device)),
      m_source(tokenized(makeDataSource(config, {cacheFolder(config, runFolder), ranks.rank, ranks.size, {}}),
                         m_tokenizer.get(), m_conditionEncoder.get(), cacheFolder(config, runFolder))),
      m_prior(tokenized(makePriorSource(config, {cacheFolder(config, runFolder), ranks.rank, ranks.size, {}}),
                        m_tokenizer.get(), m_conditionEncoder.get(), cacheFolder(config, runFolder))),
      m_heldOut(*m_source, config.validation.every > 0 ? config.validation.clips : 0),
      m_withPrior(
          m_prior ? std::make_unique<WithPriorClips>(m_heldOut.training(), *m_prior, config.data.prior_share)
                  : nullptr),
      m_vocabulary(vocabularyOf(training(), checkpoints, resumeStep, trainedWith)),
      m_scale(scaleOf(config.data, *m_source, checkpoints, resumeStep, trainedWith)),
      m_text(makeTextEncoder(config, m_vocabulary, m_source->textWidth(), device,
                             cacheFolder(config, runFolder))),
      m_resumed(dataOf(config, training(), checkpoints, resumeStep)) {}

ModelShape TrainingData::shape(const config::TrainConfig& config) const {
    constexpr std::int64_t kColours = 3;
    auto shape = ModelShape::of(config);
    shape.captionTokens = m_vocabulary.tokenCount();
    shape.channels = m_source->latentChannels() > 0 ? m_source->latentChannels() : kColours;
    shape.textWidth = m_text->width();
    shape.imageWidth = m_conditionEncoder ? m_conditionEncoder->width() : 0;
    return shape;
}

}  // namespace dailies::trainer
