#include "tests/trainer/text/tiny_t5.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/pretrained/published.h"
#include "tests/trainer/serialization/float_file.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/text/sentencepiece_tokenizer.h"

#include <torch/types.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <sentencepiece_trainer.h>
#include <vector>

namespace dailies::trainer {

namespace {

class Sentences : public sentencepiece::SentenceIterator {
public:
    bool done() const override { return m_next == m_sentences.size(); }
    void Next() override { ++m_next; }
    const std::string& value() const override { return m_sentences[m_next]; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    std::size_t m_next = 0;
    std::vector<std::string> m_sentences = {
        "a red square moves left over a black ground",    "a blue circle moves right and grows slowly",
        "the green triangle turns around the red circle", "two cats look out of a window while it rains",
        "a dog runs along the beach in the evening sun",  "the camera follows a train through the mountains"};
};

}  // namespace

const std::string& tinySpiece() {
    static const std::string model = [] {
        std::string bytes;
        Sentences sentences;
        const auto status = sentencepiece::SentencePieceTrainer::Train({{"model_type", "unigram"},
                                                                        {"vocab_size", "330"},
                                                                        {"hard_vocab_limit", "false"},
                                                                        {"byte_fallback", "true"},
                                                                        {"pad_id", "0"},
                                                                        {"eos_id", "1"},
                                                                        {"unk_id", "2"},
                                                                        {"bos_id", "-1"},
                                                                        {"minloglevel", "2"}},
                                                                       &sentences, &bytes);
        if (!status.ok()) throw Error(status.ToString());
        return bytes;
    }();
    return model;
}

std::int64_t tinySpiecePieces() {
    static const auto count = SentencePieceTokenizer(tinySpiece(), "the test's tokenizer").pieceCount();
    return count;
}

pretrained::T5Sizes tinyT5Sizes(const TinyT5& how) {
    pretrained::T5Sizes sizes;
    sizes.vocabulary = tinySpiecePieces() + how.spareRows;
    sizes.width = 16;
    sizes.inner = 12;
    sizes.mlpWidth = 24;
    sizes.layers = 2;
    sizes.heads = 2;
    sizes.buckets = 8;
    sizes.biasInEveryLayer = how.biasInEveryLayer;
    return sizes;
}

Params tinyT5Weights(const TinyT5& how) {
    Params weights;
    std::uint64_t key = 31;
    for (const auto& [name, shape] : pretrained::t5Tensors(tinyT5Sizes(how))) {
        if (name == "encoder.embed_tokens.weight") continue;
        auto value = normalTensor(++key, shape);
        const bool gain = shape.size() == 1, divided = !gain && !name.starts_with("shared.");
        if (divided && name.find("relative") == std::string::npos)
            value = value / std::sqrt(static_cast<double>(shape.back()));
        weights.add(name, (gain ? 1 + 0.1 * value : value).to(how.type));
    }
    return weights;
}

void writeTinyT5(const std::filesystem::path& folder, const TinyT5& how) {
    const auto weights = tinyT5Weights(how);
    NamedShapes names;
    for (const auto& name : weights.names()) names.push_back({name, weights[name].sizes().vec()});
    if (how.original) names = pretrained::umt5Original(names);
    std::vector<std::pair<std::string, at::Tensor>> stored;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto& name = weights.names()[i];
        if (name == how.without) continue;
        auto value = weights[name].clone();
        if (name == how.notFinite) value.view(-1)[-1] = std::numeric_limits<float>::quiet_NaN();
        const bool isMatrix = value.dim() == 2 && !name.starts_with("shared.");
        if (!how.scaledFp8 || !isMatrix) {
            stored.emplace_back(names[i].name, value);
            continue;
        }
        const auto layer = names[i].name.substr(0, names[i].name.rfind('.'));
        const auto scale = value.abs().max() / 448;
        stored.emplace_back(names[i].name, (value / scale).to(at::kFloat8_e4m3fn));
        if (layer + ".scale_weight" != how.without) stored.emplace_back(layer + ".scale_weight", scale);
        stored.emplace_back(layer + ".scale_input", at::ones({}));
    }
    if (how.scaledFp8) stored.emplace_back("scaled_fp8", at::empty({0}, at::kFloat8_e4m3fn));
    if (how.withTokenizer) {
        auto bytes = at::empty({static_cast<std::int64_t>(tinySpiece().size())}, at::kByte);
        std::memcpy(bytes.mutable_data_ptr(), tinySpiece().data(), tinySpiece().size());
        stored.emplace_back(pretrained::kT5TokenizerTensor, bytes);
    }
    std::filesystem::create_directories(folder / "text_encoder");
    writeFloatFile(folder / "text_encoder/model.safetensors", stored);
    // one of few places, so that a short test reaches all buckets
    writeFileAtomically(folder / "text_encoder/config.json", R"({"relative_attention_max_distance": 16})");
    if (!how.withTokenizer) writeFileAtomically(folder / "tokenizer/spiece.model", tinySpiece());
}

}  // namespace dailies::trainer
