#include "trainer/data/vocabulary.h"

#include <set>

namespace dailies::trainer {

namespace {

bool belongsToWord(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
}

std::vector<std::string> wordsOf(const std::string& caption) {
    std::vector<std::string> words;
    std::string word;
    for (char c : caption + ' ') {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (belongsToWord(static_cast<unsigned char>(c))) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    return words;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> words) : m_words(std::move(words)) {
    for (std::size_t i = 0; i < m_words.size(); ++i) m_tokens[m_words[i]] = static_cast<std::int64_t>(i) + 1;
}

Vocabulary Vocabulary::ofCaptions(const std::vector<std::string>& captions) {
    std::set<std::string> words;
    for (const auto& caption : captions)
        for (auto& word : wordsOf(caption)) words.insert(std::move(word));
    return Vocabulary({words.begin(), words.end()});
}

std::vector<std::int64_t> Vocabulary::tokens(const std::string& caption) const {
    std::vector<std::int64_t> tokens;
    for (const auto& word : wordsOf(caption))
        if (const auto known = m_tokens.find(word); known != m_tokens.end()) tokens.push_back(known->second);
    if (tokens.empty()) tokens.push_back(0);
    return tokens;
}

std::vector<std::string> Vocabulary::unknownWords(const std::string& caption) const {
    std::vector<std::string> unknown;
    for (auto& word : wordsOf(caption))
        if (!m_tokens.contains(word)) unknown.push_back(std::move(word));
    return unknown;
}

}  // namespace dailies::trainer
