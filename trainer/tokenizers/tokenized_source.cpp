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
                                 const std::filesystem::path& cacheFolder,
                                 const ConditionEncoder* conditionEncoder)
    : m_clips(std::move(clips)),
      m_tokenizer(tokenizer),
      m_conditionEncoder(conditionEncoder),
      m_tokenizerIdentity(tokenizer.identity()) {
    const auto inData = m_clips->latentChannels();
    if (inData > 0 && inData != tokenizer.channels())
        throw InputError("data.latents: the latents in the data have " + std::to_string(inData) +
                             " channels, those of the tokenizer have " +
                             std::to_string(tokenizer.channels()) + ".",
                         "Name the tokenizer that made them.");
    if (!cacheFolder.empty() && inData == 0) m_cache = std::make_unique<ArrayCache>(cacheFolder / "latents");
}

TokenizedSource::Keys TokenizedSource::keysOf(std::int64_t index) const {
    const auto clip = m_clips->identity(index);
    if (!m_cache || clip.empty()) return {};
    Keys keys{contentKey({m_tokenizerIdentity, clip})};
    if (readsImages()) {
        const auto* what = m_conditionEncoder->readsReferenceAsImage() ? "reference image"
                           : m_conditionEncoder->readsLastImages()     ? "first and last image"
                                                                       : "image";
        keys.imageLatents = contentKey({m_tokenizerIdentity, clip, what});
        keys.imageTokens = contentKey({m_conditionEncoder->identity(), clip, what});
    }
    return keys;
}

std::optional<Array> TokenizedSource::find(const std::string& key) const {
    return key.empty() ? std::nullopt : m_cache->find(key);
}

Array TokenizedSource::keepAs(const std::string& key, Array made) const {
    if (!key.empty()) m_cache->put(key, made);
    return made;
}

std::optional<ImageCondition> TokenizedSource::findImage(const Keys& keys) const {
    auto latents = find(keys.imageLatents);
    if (!latents) return std::nullopt;
    ImageCondition image{std::move(*latents)};
    image.endsWithImage = m_conditionEncoder->readsLastImages();
    if (m_conditionEncoder->width() == 0) return image;
    image.tokens = find(keys.imageTokens);
    return image.tokens ? std::optional(std::move(image)) : std::nullopt;
}

ImageCondition TokenizedSource::imageOf(const Example& example, const Keys& keys) const {
    const bool isReference = m_conditionEncoder->readsReferenceAsImage();
    auto image = m_conditionEncoder->imageOf(isReference ? example.guide->reference : example.clip,
                                             example.clip.frames);
    keepAs(keys.imageLatents, image.latents);
    if (image.tokens) keepAs(keys.imageTokens, *image.tokens);
    return image;
}

void TokenizedSource::encodeGuide(CharacterGuide& guide, bool isKept) const {
    if (!isKept) return m_conditionEncoder->encode(guide);
    const auto& [frames, height, width, rgb] = guide.reference;
    const auto size = std::to_string(height) + " x " + std::to_string(width);
    const std::string_view pixels(reinterpret_cast<const char*>(rgb.data()), rgb.size());
    const auto latents = contentKey({m_tokenizerIdentity, "reference", size, pixels}),
               embedding = contentKey({m_conditionEncoder->identity(), "reference", size, pixels});
    const bool embeds = m_conditionEncoder->width() > 0;
    guide.latents = find(latents);
    if (embeds) guide.embedding = find(embedding);
    if (guide.latents && (guide.embedding || !embeds)) return;
    m_conditionEncoder->encode(guide);
    keepAs(latents, *guide.latents);
    if (embeds) keepAs(embedding, *guide.embedding);
}

void TokenizedSource::readAhead(std::int64_t index) {
    const auto key = keysOf(index).latents;
    const bool isKept = m_cache && !key.empty() && m_cache->contains(key);
    if (!isKept) m_clips->readAhead(index);
}

Example TokenizedSource::read(std::int64_t index) const {
    auto example = encoded(index);
    if (m_conditionEncoder && example.guide && !readsImages())
        encodeGuide(*example.guide, m_cache && !m_clips->identity(index).empty());
    return example;
}

Example TokenizedSource::encoded(std::int64_t index) const {
    const auto keys = keysOf(index);
    auto latents = find(keys.latents);
    auto image = readsImages() ? findImage(keys) : std::nullopt;
    const bool isKept = latents && (image || !readsImages());
    auto example = isKept ? m_clips->withoutPixels(index) : m_clips->example(index);
    if (example.latents) return example;
    if (!latents) latents = keepAs(keys.latents, latentsOf(m_tokenizer, example.clip));
    if (!image && readsImages()) image = imageOf(example, keys);
    example.latents = std::move(latents);
    example.image = std::move(image);
    example.clip = {};
    return example;
}

bool TokenizedSource::keep(std::int64_t index) {
    const auto keys = keysOf(index);
    if (keys.latents.empty()) return false;
    const bool seen =
        !readsImages() || m_conditionEncoder->width() == 0 || m_cache->contains(keys.imageTokens);
    const bool hasLatents = m_cache->contains(keys.latents),
               hasImage = !readsImages() || (seen && m_cache->contains(keys.imageLatents));
    if (hasLatents && hasImage) return false;
    auto example = m_clips->example(index);
    if (!hasLatents) keepAs(keys.latents, latentsOf(m_tokenizer, example.clip));
    if (!hasImage) imageOf(example, keys);
    if (m_conditionEncoder && example.guide && !readsImages()) encodeGuide(*example.guide, /*isKept=*/true);
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
