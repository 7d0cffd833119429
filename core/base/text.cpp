#include "core/base/text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace dailies {

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    for (;;) {
        const auto at = text.find(separator);
        parts.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
    std::string joined;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i) joined += separator;
        joined += parts[i];
    }
    return joined;
}

std::string lowered(std::string_view text) {
    std::string small(text);
    for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return small;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string> shortKeys(const std::vector<std::string>& keys) {
    const auto lastPart = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
    std::map<std::string, int> endings;
    for (const auto& key : keys) ++endings[lastPart(key)];
    std::vector<std::string> shorter;
    for (const auto& key : keys) shorter.push_back(endings[lastPart(key)] > 1 ? key : lastPart(key));
    return shorter;
}

std::string shellQuote(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else if (c != '\0')  // no argument can hold a NUL; dropping it keeps the rest one word
            quoted += c;
    }
    return quoted + "'";
}

namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text` (RFC 3629), and its code point; 0 when
/// ill-formed.
std::size_t decodeUtf8(std::string_view text, std::uint32_t& codePoint) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        codePoint = lead;
        return 1;
    }
    const std::size_t length = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
    if (length == 0 || lead >= 0xf5 || text.size() < length) return 0;
    codePoint = lead & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
        codePoint = codePoint << 6 | (byte(i) & 0x3fu);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = codePoint >= 0xd800 && codePoint < 0xe000;
    return codePoint < kSmallest[length] || codePoint > 0x10ffff || surrogate ? 0 : length;
}

bool reordersText(std::uint32_t c) {
    return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f ||
           c == 0x2028 || c == 0x2029;
}

}  // namespace

std::string sanitizedText(std::string_view text) {
    constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
    std::string inert;
    inert.reserve(text.size());
    while (!text.empty()) {
        std::uint32_t codePoint = 0;
        const std::size_t length = decodeUtf8(text, codePoint);
        if (length == 0) {
            inert += kReplacement;
            text.remove_prefix(1);
            continue;
        }
        if (codePoint < 0x20 && codePoint != '\n' && codePoint != '\t') {
            inert += "\xe2\x90";  // U+2400 + c: the control pictures, ESC is ␛
            inert += static_cast<char>(0x80 + codePoint);
        } else if (codePoint == 0x7f || (codePoint >= 0x80 && codePoint < 0xa0) || reordersText(codePoint)) {
            inert += kReplacement;
        } else {
            inert += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return inert;
}

namespace {

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0u);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

std::string durationText(std::int64_t milliseconds) {
    const std::int64_t seconds = milliseconds / 1000;
    const auto pair = [](std::int64_t big, const char* bigUnit, std::int64_t small, const char* smallUnit) {
        return std::to_string(big) + ' ' + bigUnit + (small < 10 ? " 0" : " ") + std::to_string(small) + ' ' +
               smallUnit;
    };
    if (seconds <= 0) return {};
    if (seconds < 60) return std::to_string(seconds) + " s";
    if (seconds < 3600) return pair(seconds / 60, "min", seconds % 60, "s");
    if (seconds < 86400) return pair(seconds / 3600, "h", seconds / 60 % 60, "min");
    return pair(seconds / 86400, "d", seconds / 3600 % 24, "h");
}

std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const auto& candidate : candidates) {
        const auto distance = editDistance(word, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace dailies
