#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dailies {

std::vector<std::string> split(std::string_view text, char separator);  ///< "a,,b" → {"a", "", "b"}; "" → {}
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string_view trim(std::string_view text);  ///< without spaces, tabs and line ends at both ends
/// Of a temporary, whose characters are gone with it.
template <std::same_as<std::string> Text>
std::string trim(Text&& text) {
    return std::string(trim(std::string_view(text)));
}

std::string lowered(std::string_view text);  ///< A to Z in small letters; all other bytes stay

/// `text`, or `fallback` where it is empty; both must outlive the result.
inline const std::string& firstNonEmpty(const std::string& text, const std::string& fallback) {
    return text.empty() ? fallback : text;
}

/// For each dotted key the last part, which is what people call it ("optimizer.lr" → "lr"), or the whole key
/// where several of `keys` end alike ("model.width", "data.width"). Parallel to `keys`.
std::vector<std::string> shortKeys(const std::vector<std::string>& keys);

/// One word for a POSIX shell, whatever it holds: 'it'\''s'. The only way text may enter a command or a
/// script.
std::string shellQuote(std::string_view text);

/// Remote text (logs, job names, prompts) made harmless for a terminal or a label: control characters, escape
/// sequences, bidirectional overrides and invalid UTF-8 become visible symbols; tabs and line feeds stay.
std::string sanitizedText(std::string_view text);

/// "42 s", "3 min 20 s", "2 h 05 min", "3 d 04 h"; "" for less than a second.
std::string durationText(std::int64_t milliseconds);

/// The entry of `candidates` nearest to `word` by edit distance, or "" when none is near enough to be meant.
std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace dailies
