#include "trainer/training/training_data.h"

#include "trainer/tokenizers/tokenized_source.h"

namespace dailies::trainer {

namespace {

std::unique_ptr<DataSource> makeSource(const config::TrainConfig& config, const Tokenizer* tokenizer,
                                       const ConditionEncoder* conditionEncoder,
                                       const std::filesystem::path& cache, const Ranks& ranks) {
    auto clips = makeDataSource(config, {cache, ranks.rank, ranks.size, {}});
    if (!tokenizer) return clips;
    return std::make_unique<TokenizedSource>(std::move(clips), *tokenizer, cache, conditionEncoder);
}

}  // namespace

TrainingData::TrainingData(const config::TrainConfig& config, const std::filesystem::path& runFolder,
                           const Ranks& ranks, at::Device device, const Checkpoints& checkpoints,
                           std::optional<std::int64_t> resumeStep, const Json& trainedWith)
    : m_tokenizer(makeTokenizer(config.tokenizer, device)),
      m_conditionEncoder(makeConditionEncoder(config.model, m_tokenizer.get(), device)),
      m_source(makeSource(config, m_tokenizer.get(), m_conditionEncoder.get(), cacheFolder(config, runFolder),
                          ranks)),
      m_vocabulary(vocabularyOf(*m_source, checkpoints, resumeStep, trainedWith)),
      m_scale(scaleOf(config.data, *m_source, checkpoints, resumeStep, trainedWith)),
      m_text(makeTextEncoder(config, m_vocabulary, m_source->textWidth(), device,
                             cacheFolder(config, runFolder))),
      m_heldOut(*m_source, config.validation.every > 0 ? config.validation.clips : 0),
      m_resumed(dataOf(config, m_heldOut.training(), checkpoints, resumeStep)) {}

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
