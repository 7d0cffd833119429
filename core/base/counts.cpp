#include "core/base/counts.h"

#include <cstddef>

namespace dailies {

std::string grouped(long long number) {
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string pluralize(long long count, std::string_view one, std::string_view many) {
    return grouped(count).append(" ").append(count == 1 ? one : many);
}

}  // namespace dailies
