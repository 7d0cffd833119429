#include "core/base/size_text.h"

#include <array>
#include <cstdio>

namespace dailies {

std::string sizeText(std::uint64_t bytes) {
    if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    double size = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    constexpr std::array kUnits{"kB", "MB", "GB", "TB", "PB"};
    for (; size >= 999.5 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), size < 9.95 ? "%.1f %s" : "%.0f %s", size, kUnits[unit]);
    return text.data();
}

std::string binarySizeText(double bytes) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    constexpr std::size_t kGiB = 3;
    std::size_t unit = 0;
    for (; bytes >= 1023.5 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
    const bool fraction = unit >= kGiB ? bytes < 99.5 : unit > 0 && bytes < 9.95;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), fraction ? "%.1f %s" : "%.0f %s", bytes, kUnits[unit]);
    return text.data();
}

}  // namespace dailies
