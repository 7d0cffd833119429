#include "trainer/text/sentencepiece_tokenizer.h"

#include "core/base/error.h"
#include "trainer/data/array_cache.h"

#include <algorithm>
#include <sentencepiece_processor.h>

namespace dailies::trainer {

struct SentencePieceTokenizer::Processor {
    sentencepiece::SentencePieceProcessor pieces;
};

SentencePieceTokenizer::SentencePieceTokenizer(const std::string& model, const std::string& place)
    : m_processor(std::make_unique<Processor>()), m_identity(contentKey({"sentencepiece", model})) {
    const auto refuse = [&](const std::string& what) {
        throw InputError(place + " " + what, "Name the spiece.model that was published with the encoder.");
    };
    auto& pieces = m_processor->pieces;
    if (const auto status = pieces.LoadFromSerializedProto(model); !status.ok())
        refuse("is no SentencePiece model: " + status.ToString() + ".");
    if (pieces.pad_id() != 0 || pieces.eos_id() < 0)
        refuse("is a SentencePiece model of another kind: its padding is piece " +
               std::to_string(pieces.pad_id()) + " and its end of text " + std::to_string(pieces.eos_id()) +
               ", where T5 has 0 and 1.");
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

SentencePieceTokenizer::Pieces SentencePieceTokenizer::operator()(const std::string& text,
                                                                  std::int64_t most) const {
    std::vector<int> ids;
    if (const auto status = m_processor->pieces.Encode(text, &ids); !status.ok())
        throw Error("SentencePiece cannot read a caption: " + status.ToString() + ".");
    const auto count = static_cast<std::int64_t>(ids.size());
    Pieces pieces{{ids.begin(), ids.begin() + std::min(count, most - 1)}, count + 1};
    pieces.ids.push_back(m_processor->pieces.eos_id());
    return pieces;
}

std::int64_t SentencePieceTokenizer::pieceCount() const {
    return m_processor->pieces.GetPieceSize();
}

}  // namespace dailies::trainer
