#include "core/tracking/clip_path.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace dailies::tracking {

namespace {

constexpr std::array<std::string_view, 6> kVideos = {".mp4", ".webm", ".mov", ".mkv", ".m4v", ".gif"};
constexpr std::array<std::string_view, 4> kPictures = {".png", ".jpg", ".jpeg", ".webp"};

constexpr std::string_view kInputFolder = "clips/inputs/";

template <class Endings>
bool endsWithOneOf(std::string_view path, const Endings& endings) {
    const auto dot = path.rfind('.');
    return dot != std::string_view::npos &&
           std::ranges::find(endings, lowered(path.substr(dot))) != endings.end();
}

/// Relative and plain, inside the folder.
bool isInside(std::string_view path) {
    if (path.empty() || path.front() == '/') return false;
    if (std::ranges::any_of(path, [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\'; }))
        return false;
    for (std::size_t at = 0; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto part = path.substr(at, end - at);
        if (part.empty() || part == "." || part == "..") return false;
        at = end + 1;
    }
    return true;
}

}  // namespace

bool isClipPath(std::string_view path) {
    return endsWithOneOf(path, kVideos) && isInside(path);
}

bool isInInputFolder(std::string_view path) {
    const auto at = path.find(kInputFolder);
    return at == 0 || (at != std::string_view::npos && path[at - 1] == '/');
}

bool isInputPath(std::string_view path) {
    return (endsWithOneOf(path, kVideos) || endsWithOneOf(path, kPictures)) && isInside(path);
}

}  // namespace dailies::tracking
