#include "remote/trainer_install/build_log.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace dailies::remote {

namespace {

bool isComplaint(const std::string& line) {
    static constexpr std::array kSigns{
        "error:",    "CMake Error",   "undefined reference", "ld returned", "No such file or directory",
        "not found", "Killed signal", "No space left",       "slurmstepd"};
    return std::ranges::any_of(kSigns,
                               [&](const char* sign) { return line.find(sign) != std::string::npos; });
}

}  // namespace

std::vector<std::string> firstErrors(std::string_view log, std::size_t limit) {
    std::vector<std::string> all, complaints;
    bool explains = false;
    for (const std::string& raw : split(log, '\n')) {
        const std::string_view line = trim(raw);
        if (line.empty()) continue;
        all.push_back(sanitizedText(line));
        // The line behind a complaint shows the place in the source, or says what CMake missed.
        const bool complaint = isComplaint(all.back());
        if ((complaint || explains) && complaints.size() < limit) complaints.push_back(all.back());
        explains = complaint;
    }
    if (!complaints.empty()) return complaints;
    return {all.end() - static_cast<std::ptrdiff_t>(std::min(limit, all.size())), all.end()};
}

std::string lastLine(std::string_view log) {
    // Carriage returns redraw a line in place: what stands last is what was to be seen.
    const std::string_view text = trim(log);
    const auto begin = text.find_last_of("\r\n");
    return sanitizedText(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

}  // namespace dailies::remote
