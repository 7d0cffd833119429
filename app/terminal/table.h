#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::app {

/// `sanitizedText` in one line: a name may hold line feeds and tabs; a row of a table may not.
std::string oneLine(std::string_view text);

/// A plain table for a terminal: a header line, then rows; columns as wide as their widest cell, numbers to
/// the right. Cells are made harmless and put in one line.
class Table {
public:
    explicit Table(std::vector<std::string> header);

    void add(std::vector<std::string> row);
    void print(std::ostream& out) const;

private:
    std::vector<std::string> m_header;
    std::vector<std::vector<std::string>> m_rows;
};

}  // namespace dailies::app
