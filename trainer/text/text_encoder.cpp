#include "trainer/text/text_encoder.h"

#include "core/base/error.h"
#include "trainer/runtime/torchscript.h"
#include "trainer/text/embedding_rows.h"
#include "trainer/text/t5/t5_text_encoder.h"

#include <torch/types.h>

#include <algorithm>
#include <cstring>

namespace dailies::trainer {

namespace {

class Words : public TextEncoder {
public:
    explicit Words(const Vocabulary& vocabulary) : m_vocabulary(vocabulary) {}

    TextInput encode(const std::vector<Caption>& captions) const override {
        std::vector<std::string> texts;
        for (const auto& caption : captions) texts.push_back(caption.text);
        return {.words = bagOfWords(m_vocabulary, texts)};
    }
    bool isBagOfWords() const override { return true; }

private:
    const Vocabulary& m_vocabulary;
};

/// The model itself embeds them.
class Bytes : public TextEncoder {
public:
    explicit Bytes(const config::TrainConfig::Text& config) : m_config(config) {}

    TextInput encode(const std::vector<Caption>& captions) const override {
        const auto bytes = captionBytes(captions, m_config.tokens);
        return {.mask = bytesMask(bytes), .bytes = bytes};
    }
    std::int64_t width() const override { return m_config.width; }

private:
    config::TrainConfig::Text m_config;
};

/// Embeddings that came with the clips.
class Precomputed : public TextEncoder {
public:
    explicit Precomputed(std::int64_t width) : m_width(width) {}

    TextInput encode(const std::vector<Caption>& captions) const override {
        std::vector<at::Tensor> rows;
        for (const auto& caption : captions) {
            if (!caption.embeddings) {  // one token of zeros: a clip must have something to attend to
                rows.push_back(at::zeros({1, m_width}));
                continue;
            }
            rows.push_back(at::empty(caption.embeddings->shape, at::kFloat));
            std::memcpy(rows.back().mutable_data_ptr(), caption.embeddings->bytes.data(),
                        caption.embeddings->bytes.size());
        }
        return padded(rows, m_width);
    }
    std::int64_t width() const override { return m_width; }
    bool encodesPrompts() const override { return false; }

private:
    std::int64_t m_width;
};

/// A frozen module. Captions stand in the data again and again, so what it gave is kept, up to a bound.
class ModuleEncoder : public TextEncoder {
public:
    ModuleEncoder(const config::TrainConfig::Text& config, at::Device device)
        : m_config(config), m_module("text.module", config.module, device) {}

    TextInput encode(const std::vector<Caption>& captions) const override {
        std::vector<at::Tensor> rows;
        for (const auto& caption : captions) rows.push_back(embedded(caption));
        return padded(rows, m_config.width);
    }
    std::int64_t width() const override { return m_config.width; }

private:
    at::Tensor embedded(const Caption& caption) const {
        if (const auto kept = m_kept.find(caption.text)) return *kept;
        // one by one, so that a caption's embeddings do not depend on its neighbours' lengths
        const auto bytes = captionBytes({caption}, m_config.tokens);
        auto row = m_module(bytes).to(at::kCPU);
        if (row.dim() != 3 || row.size(0) != 1 || row.size(2) != m_config.width)
            throw InputError("text.module: " + m_config.module + " gives " + shapeText(row.sizes().vec()) +
                             " for " + shapeText(bytes.sizes().vec()) + " bytes, expected [1, tokens, " +
                             std::to_string(m_config.width) + "] (text.width).");
        row = row.squeeze(0).contiguous();
        m_kept.keep(caption.text, row);
        return row;
    }

    config::TrainConfig::Text m_config;
    TorchScript m_module;
    mutable KeptRows m_kept;
};

}  // namespace

std::unique_ptr<TextEncoder> makeTextEncoder(const config::TrainConfig& config, const Vocabulary& vocabulary,
                                             std::int64_t dataWidth, at::Device runDevice,
                                             const std::filesystem::path& cacheFolder) {
    if (dataWidth > 0) return std::make_unique<Precomputed>(dataWidth);
    const auto& encoder = config.text.encoder;
    const auto device = config.text.device == "cpu" ? at::Device(at::kCPU) : runDevice;
    if (encoder == "words") return std::make_unique<Words>(vocabulary);
    if (encoder == "bytes") return std::make_unique<Bytes>(config.text);
    if (encoder == "torchscript") return std::make_unique<ModuleEncoder>(config.text, device);
    if (encoder == "t5") return std::make_unique<T5TextEncoder>(config, device, cacheFolder);
    throw InputError("text.encoder: this trainer has no encoder \"" + encoder + "\".");
}

at::Tensor captionBytes(const std::vector<Caption>& captions, std::int64_t most) {
    std::size_t longest = 1;
    const auto limit = static_cast<std::size_t>(most);
    for (const auto& caption : captions) longest = std::max(longest, std::min(caption.text.size(), limit));
    auto bytes = at::zeros({static_cast<std::int64_t>(captions.size()), static_cast<std::int64_t>(longest)},
                           at::kLong);
    auto* row = bytes.mutable_data_ptr<std::int64_t>();
    for (const auto& caption : captions) {
        for (std::size_t i = 0; i < std::min(caption.text.size(), limit); ++i)
            row[i] = 1 + static_cast<unsigned char>(caption.text[i]);
        row += longest;
    }
    return bytes;
}

at::Tensor bytesMask(const at::Tensor& bytes) {
    auto mask = bytes > 0;
    mask.select(1, 0).fill_(true);
    return mask;
}

at::Tensor bagOfWords(const Vocabulary& vocabulary, const std::vector<std::string>& captions) {
    auto counts =
        at::zeros({static_cast<std::int64_t>(captions.size()), vocabulary.tokenCount()}, at::kFloat);
    auto* row = counts.mutable_data_ptr<float>();
    for (const auto& caption : captions) {
        for (const auto token : vocabulary.tokens(caption)) row[token] += 1;
        row += vocabulary.tokenCount();
    }
    return counts;
}

}  // namespace dailies::trainer
