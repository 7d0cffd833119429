#include "core/base/media_names.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace dailies {

namespace {

constexpr std::array<std::string_view, 17> kVideos = {".avi", ".flv", ".gif",  ".m2ts", ".m4v", ".mkv",
                                                      ".mov", ".mp4", ".mpeg", ".mpg",  ".mts", ".ogv",
                                                      ".ts",  ".vob", ".webm", ".wmv",  ".y4m"};
constexpr std::array<std::string_view, 5> kPictures = {".bmp", ".jpeg", ".jpg", ".png", ".webp"};

bool endsWithOneOf(std::string_view name, std::span<const std::string_view> endings) {
    const auto dot = name.rfind('.');
    return dot != std::string_view::npos && std::ranges::binary_search(endings, lowered(name.substr(dot)));
}

}  // namespace

std::span<const std::string_view> videoEndings() {
    return kVideos;
}

bool isVideoName(std::string_view name) {
    return endsWithOneOf(name, kVideos);
}

bool isPictureName(std::string_view name) {
    return endsWithOneOf(name, kPictures);
}

}  // namespace dailies
