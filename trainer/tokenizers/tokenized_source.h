#pragma once

#include "trainer/data/array_cache.h"
#include "trainer/data/data_source.h"
#include "trainer/tokenizers/condition_encoder.h"
#include "trainer/tokenizers/tokenizer.h"

#include <filesystem>
#include <memory>

namespace dailies::trainer {

/// The clips of another source as latents: read from the cache where they were encoded before, else encoded
/// by the thread that asks and kept. Latents that stand in the data itself go through as they are.
class TokenizedSource : public DataSource {
public:
    /// `cacheFolder`: where latents are kept, or nowhere when it is empty. `conditionEncoder`: encodes the
    /// guides of its examples, and the images that they begin with where the model reads those; null: guides
    /// stay pictures. Throws `InputError` where latents in the data are none of the tokenizer's.
    TokenizedSource(std::unique_ptr<DataSource> clips, const Tokenizer& tokenizer,
                    const std::filesystem::path& cacheFolder,
                    const ConditionEncoder* conditionEncoder = nullptr);

    std::int64_t size() const override { return m_clips->size(); }
    std::int64_t clipsDrawnTogether() const override { return m_clips->clipsDrawnTogether(); }
    Example example(std::int64_t index) override { return read(index); }
    void readAhead(std::int64_t index) override;
    Example withoutPixels(std::int64_t index) override { return m_clips->withoutPixels(index); }
    std::vector<std::int64_t> bucketSizes() const override { return m_clips->bucketSizes(); }
    std::string identity(std::int64_t index) const override { return m_clips->identity(index); }
    std::string origin(std::int64_t index) const override { return m_clips->origin(index); }
    std::vector<std::string> parts() const override { return m_clips->parts(); }
    DatasetStats facts() const override { return m_clips->facts(); }
    std::int64_t latentChannels() const override { return m_tokenizer.channels(); }
    std::int64_t textWidth() const override { return m_clips->textWidth(); }
    std::vector<std::string> captions() const override { return m_clips->captions(); }
    /// The tokenizer's own, else that of the latents of some clips, spread over the data; of each channel.
    ValueScale valueScale() const override;
    /// As pictures: ClipSampler encodes whom it animates.
    std::optional<CharacterGuide> guideOf(const std::string& prompt, std::int64_t seed,
                                          std::int64_t frames) const override {
        return m_clips->guideOf(prompt, seed, frames);
    }
    const Judge* judge() const override { return m_clips->judge(); }
    std::vector<std::string> takeProblems() override;

    /// Encodes a clip into the cache; false where it stood there already, or the data itself holds latents.
    bool keep(std::int64_t index);
    /// Writes what waits in memory; throws `Error` when the disk refuses.
    void flush();

private:
    /// Under which what is made of a clip is kept; empty: it is not.
    struct Keys {
        std::string latents = {}, imageLatents = {}, imageTokens = {};
    };

    Keys keysOf(std::int64_t index) const;
    std::optional<Array> find(const std::string& key) const;
    Array keepAs(const std::string& key, Array made) const;
    bool readsImages() const { return m_conditionEncoder && m_conditionEncoder->readsImages(); }
    std::optional<ImageCondition> findImage(const Keys& keys) const;
    ImageCondition imageOf(const Example& example, const Keys& keys) const;
    /// `isKept`: under the picture itself, because clips of a video may share one.
    void encodeGuide(CharacterGuide& guide, bool isKept) const;
    Example read(std::int64_t index) const;
    Example encoded(std::int64_t index) const;

    std::unique_ptr<DataSource> m_clips;
    const Tokenizer& m_tokenizer;
    const ConditionEncoder* m_conditionEncoder;
    std::string m_tokenizerIdentity;
    std::unique_ptr<ArrayCache> m_cache;  ///< null where nothing is kept
};

}  // namespace dailies::trainer
