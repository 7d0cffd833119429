#include "core/tracking/clip_path.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace dailies::tracking {

namespace {

constexpr std::array<std::string_view, 6> kEndings = {".mp4", ".webm", ".mov", ".mkv", ".m4v", ".gif"};

bool endsLikeVideo(std::string_view path) {
    const auto dot = path.rfind('.');
    if (dot == std::string_view::npos) return false;
    const std::string ending = lowered(path.substr(dot));
    return std::ranges::find(kEndings, ending) != kEndings.end();
}

}  // namespace

bool isClipPath(std::string_view path) {
    if (path.empty() || path.front() == '/' || !endsLikeVideo(path)) return false;
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

}  // namespace dailies::tracking
