#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace dailies::trainer {

/// Of a checkpoint's folder, which begins its name. The manifest is written last: what has none is not
/// complete.
inline constexpr const char* kCheckpointPrefix = "step-";
inline constexpr const char* kManifest = "manifest.json";

/// The step that a folder's name tells, if it is a checkpoint's.
inline std::optional<std::int64_t> stepOf(const std::filesystem::path& folder) {
    const std::string prefix = kCheckpointPrefix, name = folder.filename().string();
    if (!name.starts_with(prefix)) return std::nullopt;
    const char* begin = name.c_str() + prefix.size();
    char* end = nullptr;
    const auto step = std::strtoll(begin, &end, 10);
    if (*end != '\0' || end == begin) return std::nullopt;
    return step;
}

}  // namespace dailies::trainer
