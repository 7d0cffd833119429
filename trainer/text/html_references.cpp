#include "trainer/text/html_references.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace dailies::trainer {

namespace {

/// U+00A0 to U+00FF. These may stand without a semicolon, and so may those of `kBare`.
constexpr std::array<std::string_view, 96> kLatin1 = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",
    "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",
    "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12",
    "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil",
    "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde",
    "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",
    "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",
    "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",
    "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

using Name = std::pair<std::string_view, char32_t>;

constexpr Name kBare[] = {{"amp", '&'}, {"AMP", '&'},  {"lt", '<'},   {"LT", '<'},      {"gt", '>'},
                          {"GT", '>'},  {"quot", '"'}, {"QUOT", '"'}, {"COPY", 0x00A9}, {"REG", 0x00AE}};

constexpr Name kWithSemicolon[] = {
    {"apos", '\''},     {"OElig", 0x0152},  {"oelig", 0x0153},  {"Scaron", 0x0160}, {"scaron", 0x0161},
    {"Yuml", 0x0178},   {"fnof", 0x0192},   {"circ", 0x02C6},   {"tilde", 0x02DC},  {"ensp", 0x2002},
    {"emsp", 0x2003},   {"thinsp", 0x2009}, {"zwnj", 0x200C},   {"zwj", 0x200D},    {"lrm", 0x200E},
    {"rlm", 0x200F},    {"ndash", 0x2013},  {"mdash", 0x2014},  {"lsquo", 0x2018},  {"rsquo", 0x2019},
    {"sbquo", 0x201A},  {"ldquo", 0x201C},  {"rdquo", 0x201D},  {"bdquo", 0x201E},  {"dagger", 0x2020},
    {"Dagger", 0x2021}, {"bull", 0x2022},   {"hellip", 0x2026}, {"permil", 0x2030}, {"prime", 0x2032},
    {"Prime", 0x2033},  {"lsaquo", 0x2039}, {"rsaquo", 0x203A}, {"euro", 0x20AC},   {"trade", 0x2122}};

/// What browsers and Python take numeric references 128 to 159 for: Windows-1252.
constexpr std::array<char32_t, 32> kWindows = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

constexpr std::size_t kLongestName = 32;
constexpr char32_t kReplacement = 0xFFFD, kLast = 0x10FFFF;

void appendUtf8(std::string& text, char32_t code) {
    constexpr char32_t kLead[] = {0x00, 0xC0, 0xE0, 0xF0};
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    text += static_cast<char>(kLead[more] | code >> (6 * more));
    for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

std::optional<char32_t> named(std::string_view name, bool semicolon) {
    const auto latin = std::ranges::find(kLatin1, name);
    if (latin != kLatin1.end()) return static_cast<char32_t>(0xA0 + (latin - kLatin1.begin()));
    const auto bare = std::ranges::find(kBare, name, &Name::first);
    if (bare != std::end(kBare)) return bare->second;
    if (!semicolon) return std::nullopt;
    const auto other = std::ranges::find(kWithSemicolon, name, &Name::first);
    return other == std::end(kWithSemicolon) ? std::nullopt : std::optional(other->second);
}

bool isNoCharacter(char32_t code) {
    return (code >= 0x1 && code <= 0x8) || code == 0xB || (code >= 0xE && code <= 0x1F) ||
           (code >= 0x7F && code <= 0x9F) || (code >= 0xFDD0 && code <= 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

void appendNumeric(std::string& text, char32_t code) {
    if (code >= 0x80 && code <= 0x9F) return appendUtf8(text, kWindows[code - 0x80]);
    if (code == 0 || (code >= 0xD800 && code <= 0xDFFF) || code > kLast)
        return appendUtf8(text, kReplacement);
    if (!isNoCharacter(code)) appendUtf8(text, code);
}

/// Of a reference at the beginning, which starts with '&': appends what it stands for. Returns its length, 0
/// where it is none.
std::size_t resolve(std::string_view at, std::string& text) {
    const auto semicolonAt = [&](std::size_t i) { return i < at.size() && at[i] == ';'; };
    if (at.size() > 1 && at[1] == '#') {
        const bool hexadecimal = at.size() > 2 && (at[2] == 'x' || at[2] == 'X');
        const auto* digits = at.data() + (hexadecimal ? 3 : 2);
        const auto* end = at.data() + at.size();
        std::uint32_t code = 0;
        if (digits >= end) return 0;
        const auto [stop, error] = std::from_chars(digits, end, code, hexadecimal ? 16 : 10);
        if (stop == digits) return 0;
        appendNumeric(text, error == std::errc() ? code : kLast + 1);
        const auto length = static_cast<std::size_t>(stop - at.data());
        return length + (semicolonAt(length) ? 1 : 0);
    }
    const auto name = at.substr(1, std::min(at.substr(1).find_first_of("\t\n\f <&#;"), kLongestName));
    if (semicolonAt(1 + name.size()))
        if (const auto code = named(name, true)) {
            appendUtf8(text, *code);
            return name.size() + 2;
        }
    for (auto length = name.size(); length >= 2; --length)  // "&ampersand" begins with one
        if (const auto code = named(name.substr(0, length), false)) {
            appendUtf8(text, *code);
            return length + 1;
        }
    return 0;
}

}  // namespace

std::string withoutHtmlReferences(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const auto used = text.front() == '&' ? resolve(text, plain) : 0;
        if (used == 0) plain += text.front();
        text.remove_prefix(std::max<std::size_t>(used, 1));
    }
    return plain;
}

}  // namespace dailies::trainer
