#include "core/exchange/csv.h"

#include <algorithm>
#include <string_view>

namespace dailies::exchange {

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
        if (const auto count = std::count(first.begin(), first.end(), candidate); count > most) {
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
    return true;
}

}  // namespace dailies::exchange
