#include "app/terminal/table.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdlib>

namespace dailies::app {

namespace {

/// Code points, which is as near to columns as a table of run names needs.
std::size_t displayWidth(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

bool isNumeric(const std::string& text) {
    if (text.empty() || text == "-") return true;  // an absent value leaves the column's alignment alone
    char* end = nullptr;
    std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size();
}

}  // namespace

std::string oneLine(std::string_view text) {
    std::string line = sanitizedText(text);
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return line;
}

Table::Table(std::vector<std::string> header) : m_header(std::move(header)) {
    for (auto& name : m_header) name = oneLine(name);
}

void Table::add(std::vector<std::string> row) {
    for (auto& cell : row) cell = oneLine(cell);
    m_rows.push_back(std::move(row));
}

void Table::print(std::ostream& out) const {
    std::vector<std::size_t> widths;
    std::vector<bool> toTheRight;
    for (std::size_t column = 0; column < m_header.size(); ++column) {
        std::size_t width = displayWidth(m_header[column]);
        for (const auto& row : m_rows) width = std::max(width, displayWidth(row[column]));
        widths.push_back(width);
        toTheRight.push_back(!m_rows.empty() &&
                             std::all_of(m_rows.begin(), m_rows.end(),
                                         [&](const auto& row) { return isNumeric(row[column]); }));
    }
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const std::string padding(widths[column] - displayWidth(cells[column]), ' ');
            text += toTheRight[column] ? padding + cells[column] : cells[column] + padding;
            text += "  ";
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out << text << '\n';
    };
    line(m_header);
    for (const auto& row : m_rows) line(row);
}

}  // namespace dailies::app
