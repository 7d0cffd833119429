#pragma once

namespace dailies {

inline constexpr double kMebibyte = 1 << 20, kGibibyte = 1 << 30;

}  // namespace dailies
