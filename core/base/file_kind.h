#pragma once

#include <filesystem>
#include <string>

namespace dailies {

/// What stands where a file is expected: "a folder", "a FIFO", "a socket", "a device"; "" for a file and for
/// nothing.
std::string describeNonFile(const std::filesystem::path& path);

/// The same of a file to read; "" also for what a shell hands over as one (/dev/stdin, the /dev/fd/63 of
/// `<(…)`).
std::string describeNonReadable(const std::filesystem::path& path);

/// Throws `InputError` that names what is there instead of a file to read.
void requireFile(const std::filesystem::path& path, const std::string& remedy = {});

}  // namespace dailies
