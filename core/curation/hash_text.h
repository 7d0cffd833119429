#pragma once

#include "core/base/error.h"
#include "core/base/numbers.h"

#include <cstdint>
#include <string>

namespace dailies::curation {

inline constexpr std::size_t kHashDigits = 16;

/// 64 bits as 16 lower-case hexadecimal digits.
inline std::string hashText(std::uint64_t hash) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text(kHashDigits, '0');
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, hash >>= 4) *digit = kDigits[hash & 15];
    return text;
}

inline std::uint64_t hashFromText(const std::string& text) {
    const auto hash = parseAs<std::uint64_t>(text, 16);
    if (!hash || text.size() != kHashDigits)
        throw InputError("\"" + text + "\" is no hash of 16 hexadecimal digits.");
    return *hash;
}

}  // namespace dailies::curation
