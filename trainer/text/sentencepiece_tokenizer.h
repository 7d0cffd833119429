#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dailies::trainer {

/// Turns text into the numbers of a SentencePiece model's pieces (Kudo & Richardson 2018), as T5 and UMT5
/// were trained: with its byte fallback, which the fast tokenizers of Python's transformers leave out, so
/// that emoji differ from those. Any number of threads.
class SentencePieceTokenizer {
public:
    /// `model`: the bytes of a spiece.model; `place`: where they lie, for errors. Throws `InputError` where
    /// they are no such model, or one without T5's padding (0) and end of text; and where dailies-train was
    /// built without SentencePiece.
    SentencePieceTokenizer(const std::string& model, const std::string& place);
    ~SentencePieceTokenizer();

    struct Pieces {
        std::vector<std::int64_t> ids;  ///< cut to `most` - 1 pieces, and the end of text behind them
        std::int64_t uncut = 0;         ///< how many they would be without a limit
    };
    Pieces operator()(const std::string& text, std::int64_t most) const;

    std::int64_t pieceCount() const;
    /// A hash of the model: other pieces, another identity.
    const std::string& identity() const { return m_identity; }

private:
    struct Processor;
    std::unique_ptr<Processor> m_processor;
    std::string m_identity;
};

}  // namespace dailies::trainer
