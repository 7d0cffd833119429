#include "core/base/file_kind.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <system_error>

namespace dailies {

namespace fs = std::filesystem;

std::string describeNonFile(const fs::path& path) {
    std::error_code unseen;
    switch (fs::status(path, unseen).type()) {
        case fs::file_type::directory:
            return "a folder";
        case fs::file_type::fifo:
            return "a FIFO";
        case fs::file_type::socket:
            return "a socket";
        case fs::file_type::block:
        case fs::file_type::character:
            return "a device";
        default:
            return {};
    }
}

std::string describeNonReadable(const fs::path& path) {
    const auto found = describeNonFile(path);
    const bool handedOver = path.string().starts_with("/dev/") || path.string().starts_with("/proc/");
    return handedOver && found != "a folder" ? "" : found;
}

void requireFile(const fs::path& path, const std::string& remedy) {
    if (const auto found = describeNonReadable(path); !found.empty())
        throw InputError(sanitizedText(path.string()) + " is " + found + ", not a file.", remedy);
    if (std::error_code unseen; !fs::exists(path, unseen))
        throw InputError("There is no file " + sanitizedText(path.string()) + ".", remedy);
}

}  // namespace dailies
