#include "core/exchange/csv.h"

#include <string_view>

namespace dailies::exchange {

namespace {

std::ptrdiff_t countUnquoted(std::string_view line, char wanted) {
    std::ptrdiff_t count = 0;
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        count += c == wanted && !quoted;
    }
    return count;
}

bool isUtf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t length = first < 0x80                    ? 1
                                   : first >= 0xC2 && first < 0xE0 ? 2
                                   : first >= 0xE0 && first < 0xF0 ? 3
                                   : first >= 0xF0 && first < 0xF5 ? 4
                                                                   : 0;
        if (length == 0 || i + length > text.size()) return false;
        for (std::size_t k = 1; k < length; ++k)
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
        i += length;
    }
    return true;
}

/// Windows-1252 as UTF-8; where it differs from Latin-1 there are typographic signs, of which only the euro
/// matters in a header.
std::string fromLatin1(std::string_view text) {
    std::string utf8;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            utf8 += c;
        } else if (byte == 0x80) {
            utf8 += "€";
        } else {
            utf8 += static_cast<char>(0xC0 | (byte >> 6));
            utf8 += static_cast<char>(0x80 | (byte & 0x3F));
        }
    }
    return utf8;
}

}  // namespace

CsvReader::CsvReader(std::istream& text) : m_text(text) {
    if (m_text.peek() == std::istream::traits_type::eof()) return;
    if (constexpr std::string_view kMark = "\xEF\xBB\xBF"; m_text.peek() == 0xEF) {
        char mark[3];
        m_text.read(mark, sizeof mark);
        if (std::string_view(mark, sizeof mark) != kMark) m_text.seekg(0);
    }
    const auto begin = m_text.tellg();
    std::string first;
    std::getline(m_text, first);
    m_text.clear();
    m_text.seekg(begin);
    std::ptrdiff_t most = 0;
    for (const char candidate : {',', ';', '\t'})
        if (const auto count = countUnquoted(first, candidate); count > most) {
            most = count;
            m_separator = candidate;
        }
}

bool CsvReader::next(std::vector<std::string>& fields) {
    fields.clear();
    std::string line;
    do {
        m_line = m_nextLine;
        if (!std::getline(m_text, line)) return false;
        ++m_nextLine;
        if (line.ends_with('\r')) line.pop_back();
    } while (line.empty());

    std::string field;
    bool quoted = false;
    for (std::size_t i = 0;; ++i) {
        if (i == line.size()) {
            if (!quoted) break;
            std::string more;  // the quotes hold a line end
            if (!std::getline(m_text, more)) break;
            ++m_nextLine;
            field += '\n';
            if (more.ends_with('\r')) more.pop_back();
            line = std::move(more);
            i = static_cast<std::size_t>(-1);
            continue;
        }
        const char c = line[i];
        if (quoted) {
            if (c != '"')
                field += c;
            else if (i + 1 < line.size() && line[i + 1] == '"')
                field += line[i++];
            else
                quoted = false;
        } else if (c == '"' && field.empty()) {
            quoted = true;
        } else if (c == m_separator) {
            fields.push_back(std::move(field));
            field.clear();
        } else {
            field += c;
        }
    }
    fields.push_back(std::move(field));
    for (auto& text : fields)
        if (!isUtf8(text)) {
            text = fromLatin1(text);
            m_isLatin1 = true;
        }
    return true;
}

}  // namespace dailies::exchange
