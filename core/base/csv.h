#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dailies {

/// Spreadsheets run a cell that begins with = + - @ as a formula, also one that came from a file of somebody
/// else.
enum class CsvEscaping {
    EscapeFormulas,  ///< such a text gets an apostrophe in front, which spreadsheets take for "this is text"
    Raw,             ///< every text as it is
};

/// A field as RFC 4180 writes it: in quotes where it holds a comma, a quote or a line end. A number stays a
/// number, "-1e-4" too.
std::string csvField(std::string_view text, CsvEscaping form = CsvEscaping::EscapeFormulas);

/// The text that `csvField` was given: without the apostrophe that it put in front.
std::string_view unescapeCsvField(std::string_view field);

/// The shortest decimal that reads back as the same double; else NaN, Infinity or -Infinity.
std::string csvNumber(double value);

/// A record with its CRLF.
std::string csvRecord(const std::vector<std::string>& fields);

}  // namespace dailies
