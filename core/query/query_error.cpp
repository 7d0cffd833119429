#include "core/query/query_error.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdint>

namespace dailies::query {

namespace {

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// The columns of a terminal that well-formed text takes: two for East Asian wide characters and emoji.
std::size_t columns(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (continues(text[i])) continue;
        const auto lead = static_cast<unsigned char>(text[i]);
        char32_t point = lead < 0x80   ? lead
                         : lead < 0xe0 ? lead & 0x1f
                         : lead < 0xf0 ? lead & 0x0f
                                       : lead & 0x07;
        for (std::size_t k = i + 1; k < text.size() && continues(text[k]); ++k)
            point = (point << 6) | (static_cast<unsigned char>(text[k]) & 0x3f);
        const bool combining = point >= 0x300 && point <= 0x36f;
        const bool wide = (point >= 0x1100 && point <= 0x115f) || (point >= 0x2e80 && point <= 0xa4cf) ||
                          (point >= 0xac00 && point <= 0xd7a3) || (point >= 0xf900 && point <= 0xfaff) ||
                          (point >= 0xfe30 && point <= 0xfe6f) || (point >= 0xff00 && point <= 0xff60) ||
                          (point >= 0xffe0 && point <= 0xffe6) || (point >= 0x1f300 && point <= 0x1faff);
        width += combining ? 0 : wide ? 2 : 1;
    }
    return width;
}

/// One line without tabs: both would put the carets in the wrong place.
std::string onOneLine(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return sanitizedText(line);
}

std::size_t backToCharacter(std::string_view text, std::size_t at) {
    while (at > 0 && at < text.size() && continues(text[at])) --at;
    return at;
}

}  // namespace

std::string caretSnippet(std::string_view text, std::size_t position, std::size_t length) {
    constexpr std::size_t kBefore = 60, kMarked = 40,
                          kAfter = 20;  // bytes, so that all fits a terminal's line
    position = backToCharacter(text, std::min(position, text.size()));
    const std::size_t end =
        backToCharacter(text, std::min(position + std::min(length, kMarked), text.size()));
    const std::size_t first = position > kBefore ? backToCharacter(text, position - kBefore) : 0;
    const std::size_t last = backToCharacter(text, std::min(end + kAfter, text.size()));

    const std::string before = (first > 0 ? "…" : "") + onOneLine(text.substr(first, position - first));
    const std::string marked = onOneLine(text.substr(position, end - position));
    const std::string after = onOneLine(text.substr(end, last - end)) + (last < text.size() ? "…" : "");
    return before + marked + after + "\n" + std::string(columns(before), ' ') +
           std::string(std::max<std::size_t>(columns(marked), 1), '^');
}

}  // namespace dailies::query
