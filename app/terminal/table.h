#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace dailies::app {

/// A plain table for a terminal: a header line, then rows; columns as wide as their widest cell, numbers to
/// the right.
class Table {
public:
    explicit Table(std::vector<std::string> header) : m_header(std::move(header)) {}

    void add(std::vector<std::string> row) { m_rows.push_back(std::move(row)); }
    void print(std::ostream& out) const;

private:
    std::vector<std::string> m_header;
    std::vector<std::vector<std::string>> m_rows;
};

}  // namespace dailies::app
