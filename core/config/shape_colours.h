#pragma once

#include <array>

namespace dailies::config {

/// The colours of data.source shapes, as its captions name them.
inline constexpr std::array kShapeColourNames = {"red", "green", "blue", "yellow"};

}  // namespace dailies::config
