#include "core/log/log_file.h"

#include "core/base/files.h"

#include <cstdlib>

namespace dailies::log {

namespace {

/// Where the last `lines` lines of a text begin; counts down what it found.
std::size_t beginOfLast(const std::string& text, std::size_t& lines) {
    std::size_t at = text.size();
    while (lines > 0 && at > 0) {
        const auto before = at < 2 ? std::string::npos : text.rfind('\n', at - 2);
        at = before == std::string::npos ? 0 : before + 1;
        --lines;
    }
    return at;
}

}  // namespace

std::filesystem::path logFolder() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/')
        return std::filesystem::path(state) / "dailies";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : "/") / ".local/state/dailies";
}

std::filesystem::path LogFile::earlier(int number) const {
    if (number == 0) return path;
    return path.parent_path() /
           (path.stem().string() + "." + std::to_string(number) + path.extension().string());
}

std::string lastLines(const LogFile& file, std::size_t lines) {
    std::string found;
    for (int number = 0; number < file.files && lines > 0; ++number) {
        std::error_code absent;
        if (!std::filesystem::exists(file.earlier(number), absent)) break;
        const auto text = readFile(file.earlier(number));
        found.insert(0, text, beginOfLast(text, lines), std::string::npos);
    }
    return found;
}

}  // namespace dailies::log
