#pragma once

#include <optional>
#include <string_view>

// Inside of core/query.
namespace dailies::query::detail {

/// The whole of `text` as a decimal number, whatever the locale: "1e-4", "+.5", "-3", "1e400" (infinity),
/// "inf". Nothing for other text, "nan" and hexadecimals among it.
std::optional<double> toNumber(std::string_view text);

}  // namespace dailies::query::detail
