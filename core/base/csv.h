#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dailies {

/// A field as RFC 4180 writes it: in quotes where it holds a comma, a quote or a line end.
std::string csvField(std::string_view text);

/// A record with its CRLF.
std::string csvRecord(const std::vector<std::string>& fields);

}  // namespace dailies
