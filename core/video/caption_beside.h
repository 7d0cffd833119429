#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace dailies::video {

/// The text beside a video of the same name: `clip.txt` or `clip.caption`, or "prompt", "caption" or "text"
/// of `clip.json`, as `captionLine`. Nullopt without such a file, or with an empty or unreadable one.
std::optional<std::string> captionBeside(const std::filesystem::path& video);

/// In one line, as programs expect captions: white space becomes single spaces. At most 64 KiB of it.
std::string captionLine(std::string_view text);

}  // namespace dailies::video
