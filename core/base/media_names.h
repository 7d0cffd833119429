#pragma once

#include <span>
#include <string_view>

namespace dailies {

/// Of files that are read as video, with their dots, sorted.
std::span<const std::string_view> videoEndings();

/// By the ending of the name, in any case. Nothing is opened.
bool isVideoName(std::string_view name);
bool isPictureName(std::string_view name);

}  // namespace dailies
