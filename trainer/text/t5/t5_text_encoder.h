#pragma once

#include "trainer/data/array_cache.h"
#include "trainer/pretrained/published_model.h"
#include "trainer/text/embedding_rows.h"
#include "trainer/text/sentencepiece_tokenizer.h"
#include "trainer/text/t5/t5_encoder.h"
#include "trainer/text/text_encoder.h"

#include <mutex>

namespace dailies::trainer {

/// The frozen encoder of a published model: Wan's UMT5-xxl, LTX's T5 v1.1-xxl. A caption is cleaned as their
/// programs do, and its rows are those of its pieces and of the end of text: a model pads them with zeros
/// (Wan's `text_places`) or masks the rest. Each text is encoded once, in float32, and kept in memory and in
/// the cache; the weights are read when a text is met that is not kept. Any number of threads.
class T5TextEncoder : public TextEncoder {
public:
    /// Reads the headers of `config.text.weights` and the tokenizer, `config.text.tokenizer` or the one found
    /// beside the weights. Throws `InputError` when the weights are no whole encoder of this kind or of
    /// another width than the config tells, and when the tokenizer is missing or another model's.
    T5TextEncoder(const config::TrainConfig& config, at::Device device,
                  const std::filesystem::path& cacheFolder);

    TextInput encode(const std::vector<Caption>& captions) const override;
    std::int64_t width() const override { return m_config.width; }
    void flush() const override;
    std::vector<std::string> takeNotes() const override;

private:
    at::Tensor embedded(const std::string& caption) const;
    at::Tensor computed(const std::string& caption) const;
    void noteCut(const std::string& caption, std::int64_t pieces) const;

    config::TrainConfig::Text m_config;
    std::int64_t m_tokens;    ///< of the longest caption
    std::string m_tokensKey;  ///< that says so
    at::Device m_device;
    pretrained::PublishedModel m_model;
    SentencePieceTokenizer m_tokenizer;
    std::string m_identity;
    std::unique_ptr<ArrayCache> m_cache;  ///< null where nothing is kept
    mutable KeptRows m_kept;
    mutable std::mutex m_mutex;                    ///< of what follows; one text is encoded at a time
    mutable std::unique_ptr<T5Encoder> m_encoder;  ///< null until it is needed
    mutable std::vector<std::string> m_notes;
    mutable bool m_toldOfCut = false;
};

}  // namespace dailies::trainer
