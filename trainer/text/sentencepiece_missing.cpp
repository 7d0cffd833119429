#include "core/base/error.h"
#include "trainer/text/sentencepiece_tokenizer.h"

// In place of sentencepiece_tokenizer.cpp where SentencePiece's development files were not found.

namespace dailies::trainer {

struct SentencePieceTokenizer::Processor {};

SentencePieceTokenizer::SentencePieceTokenizer(const std::string&, const std::string& place) {
    throw InputError(
        place +
            " cannot be read: this dailies-train was built where SentencePiece's development files are "
            "missing.",
        "Install them there (libsentencepiece-dev of Debian, sentencepiece of conda-forge) and build it "
        "again, or "
        "put the captions' embeddings into the data (data.text_embeddings).");
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

SentencePieceTokenizer::Pieces SentencePieceTokenizer::operator()(const std::string&, std::int64_t) const {
    return {};
}

std::int64_t SentencePieceTokenizer::pieceCount() const {
    return 0;
}

}  // namespace dailies::trainer
