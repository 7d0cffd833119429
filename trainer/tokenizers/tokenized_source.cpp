#include "trainer/tokenizers/tokenized_source.h"

#include "core/base/error.h"
#include "trainer/tokenizers/clip_latents.h"

#include <algorithm>
#include <functional>

namespace dailies::trainer {

namespace {

constexpr std::int64_t kScaleClips = 32;

}  // namespace

TokenizedSource::TokenizedSource(std::unique_ptr<DataSource> clips, const Tokenizer& tokenizer,
                                 const std::filesystem::path& cacheFolder, const ReferenceEncoder* references)
    : m_clips(std::move(clips)),
      m_tokenizer(tokenizer),
      m_references(references),
      m_tokenizerIdentity(tokenizer.identity()) {
    const auto inData = m_clips->latentChannels();
    if (inData > 0 && inData != tokenizer.channels())
        throw InputError("data.latents: the latents in the data have " + std::to_string(inData) +
                             " channels, those of the tokenizer have " +
                             std::to_string(tokenizer.channels()) + ".",
                         "Name the tokenizer that made them.");
    if (!cacheFolder.empty() && inData == 0) m_cache = std::make_unique<ArrayCache>(cacheFolder / "latents");
}

std::string TokenizedSource::keyOf(std::int64_t index) const {
    const auto clip = m_clips->identity(index);
    return !m_cache || clip.empty() ? "" : contentKey({m_tokenizerIdentity, clip});
}

Example TokenizedSource::read(std::int64_t index) const {
    auto example = encoded(index);
    if (m_references && example.guide) m_references->encode(*example.guide);
    return example;
}

Example TokenizedSource::encoded(std::int64_t index) const {
    const auto key = keyOf(index);
    if (!key.empty())
        if (auto kept = m_cache->find(key)) {
            auto example = m_clips->withoutPixels(index);
            example.latents = std::move(kept);
            example.clip = {};
            return example;
        }
    auto example = m_clips->example(index);
    if (example.latents) return example;
    example.latents = latentsOf(m_tokenizer, example.clip);
    example.clip = {};
    if (!key.empty()) m_cache->put(key, *example.latents);
    return example;
}

bool TokenizedSource::keep(std::int64_t index) {
    const auto key = keyOf(index);
    if (key.empty() || m_cache->contains(key)) return false;
    m_cache->put(key, latentsOf(m_tokenizer, m_clips->example(index).clip));
    return true;
}

void TokenizedSource::flush() {
    if (m_cache) m_cache->flush();
}

ValueScale TokenizedSource::valueScale() const {
    if (const auto published = m_tokenizer.latentScale()) return *published;
    if (m_clips->latentChannels() > 0) return m_clips->valueScale();
    const auto count = m_clips->size() > 0 ? std::min(m_clips->size(), kScaleClips) : kScaleClips;
    const auto stride = m_clips->size() > 0 ? m_clips->size() / count : 1;
    ScaleMeasure measure(static_cast<std::size_t>(m_tokenizer.channels()));
    for (std::int64_t i = 0; i < count; ++i)
        measure.add(toFloats(read(i * stride).latents.value()), std::identity());
    constexpr double kMinDeviation = 1e-3;
    return measure.scale(kMinDeviation);
}

std::vector<std::string> TokenizedSource::takeProblems() {
    auto problems = m_clips->takeProblems();
    if (m_cache) std::ranges::move(m_cache->takeProblems(), std::back_inserter(problems));
    return problems;
}

}  // namespace dailies::trainer
