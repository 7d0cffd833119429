#include "core/query/number.h"

#include <charconv>
#include <cmath>
#include <locale.h>
#include <stdlib.h>
#include <string>

namespace dailies::query::detail {

std::optional<double> toNumber(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || problem == std::errc::invalid_argument) return std::nullopt;
    if (problem == std::errc::result_out_of_range) {
        // from_chars does not say whether it is too large or too small; strtod gives infinity or 0
        static const locale_t kPlain = newlocale(LC_ALL_MASK, "C", nullptr);
        value = strtod_l(std::string(text).c_str(), nullptr, kPlain);
    }
    if (std::isnan(value)) return std::nullopt;
    return value;
}

}  // namespace dailies::query::detail
