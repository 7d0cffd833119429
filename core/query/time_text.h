#pragma once

#include <optional>
#include <string_view>

// Inside of core/query.
namespace dailies::query::detail {

/// Milliseconds since 1970 of "2026-07-01", "2026-07-01 14:30" or "2026-07-01T14:30:05", read as this
/// machine's local time. Nothing for other text, days that no month has among it.
std::optional<double> parseLocalTime(std::string_view text);

}  // namespace dailies::query::detail
