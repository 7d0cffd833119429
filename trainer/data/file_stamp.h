#pragma once

#include <filesystem>
#include <string>

namespace dailies::trainer {

/// A file's size and time of its last change: another stamp is another file, as far as caches go.
inline std::string fileStamp(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::to_string(std::filesystem::file_size(file, ignored)) + "@" +
           std::to_string(std::filesystem::last_write_time(file, ignored).time_since_epoch().count());
}

}  // namespace dailies::trainer
