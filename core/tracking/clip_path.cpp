#include "core/tracking/clip_path.h"

#include "core/base/media_names.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace dailies::tracking {

namespace {

/// What programs write clips as: fewer than are read as video, for ".ts" is TypeScript in a program's folder.
constexpr std::array<std::string_view, 6> kClips = {".mp4", ".webm", ".mov", ".mkv", ".m4v", ".gif"};

constexpr std::string_view kInputFolder = "clips/inputs/";

bool isClipName(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot != std::string_view::npos &&
           std::ranges::find(kClips, lowered(path.substr(dot))) != kClips.end();
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
    return isClipName(path) && isInside(path);
}

bool isInInputFolder(std::string_view path) {
    const auto at = path.find(kInputFolder);
    return at == 0 || (at != std::string_view::npos && path[at - 1] == '/');
}

bool isInputPath(std::string_view path) {
    return (isClipName(path) || isPictureName(path)) && isInside(path);
}

}  // namespace dailies::tracking
