#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::trainer {

/// The words that a model can be told: those of its data set's captions. A word is a run of letters and
/// digits (and of bytes beyond ASCII), in lower case. Token 0 stands for the empty caption, which
/// classifier-free guidance needs.
class Vocabulary {
public:
    /// From the words in the order of their tokens 1, 2, … (as a checkpoint keeps them).
    explicit Vocabulary(std::vector<std::string> words);

    /// All words of the captions, sorted, so that the same captions in any order give the same tokens.
    static Vocabulary ofCaptions(const std::vector<std::string>& captions);

    const std::vector<std::string>& words() const { return m_words; }
    std::int64_t tokenCount() const { return static_cast<std::int64_t>(m_words.size()) + 1; }

    /// The tokens of a caption's known words; {0} when it has none.
    std::vector<std::int64_t> tokens(const std::string& caption) const;

    /// The caption's words that the vocabulary lacks and a model therefore ignores.
    std::vector<std::string> unknownWords(const std::string& caption) const;

private:
    std::vector<std::string> m_words;
    std::unordered_map<std::string, std::int64_t> m_tokens;
};

}  // namespace dailies::trainer
