#pragma once

#include <istream>
#include <string>
#include <vector>

namespace dailies::exchange {

/// Reads CSV record by record: RFC 4180 with either line end, and with the separator that the first line has
/// most of outside of quotes (comma, semicolon or tab). A byte-order mark is skipped. Text that is not UTF-8
/// is taken for Latin-1 (Windows-1252), as spreadsheets of Western Europe write it.
class CsvReader {
public:
    explicit CsvReader(std::istream& text);

    /// The next record's fields, without their quotes; empty lines are skipped. False at the end.
    bool next(std::vector<std::string>& fields);

    char separator() const { return m_separator; }
    bool isLatin1() const { return m_isLatin1; }  ///< so far

    std::int64_t line() const { return m_line; }  ///< where the record that was read last began, from 1

private:
    std::istream& m_text;
    char m_separator = ',';
    bool m_isLatin1 = false;
    std::int64_t m_line = 0, m_nextLine = 1;
};

}  // namespace dailies::exchange
