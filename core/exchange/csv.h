#pragma once

#include <istream>
#include <string>
#include <vector>

namespace dailies::exchange {

/// Reads CSV record by record: RFC 4180 with either line end, and with the separator that the first line has
/// most of (comma, semicolon or tab). A byte-order mark is skipped.
class CsvReader {
public:
    explicit CsvReader(std::istream& text);

    /// The next record's fields, without their quotes; empty lines are skipped. False at the end.
    bool next(std::vector<std::string>& fields);

    std::int64_t line() const { return m_line; }  ///< where the record that was read last began, from 1

private:
    std::istream& m_text;
    char m_separator = ',';
    std::int64_t m_line = 0, m_nextLine = 1;
};

}  // namespace dailies::exchange
