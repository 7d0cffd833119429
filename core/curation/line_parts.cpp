#include "core/curation/line_parts.h"

#include "core/base/error.h"
#include "core/base/ids.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <vector>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kAbandonedAfter(1);
constexpr const char* kPartEnding = ".jsonl";

void readLinesOf(const fs::path& file, const std::function<void(const std::string&)>& onLine) {
    std::ifstream stream(file, std::ios::binary);
    for (std::string line; std::getline(stream, line);) onLine(line);
}

}  // namespace

LineParts::LineParts(const fs::path& folder, const std::string& name)
    : m_part(folder / name / (newId() + kPartEnding)) {}

void LineParts::read(const fs::path& folder, const std::string& name,
                     const std::function<void(const std::string& line)>& onLine) {
    readLinesOf(folder / (name + kPartEnding), onLine);
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder / name, missing))
        if (entry.path().extension() == kPartEnding) readLinesOf(entry.path(), onLine);
}

void LineParts::add(const std::string& line) {
    const std::lock_guard lock(m_mutex);
    std::error_code failure;
    fs::create_directories(m_part.parent_path(), failure);
    std::ofstream stream(m_part, std::ios::binary | std::ios::app);
    stream << line << '\n' << std::flush;
    if (!stream) throw Error("Cannot write " + m_part.string() + ": " + std::strerror(errno) + ".");
}

void LineParts::removeMerged() {
    const std::lock_guard lock(m_mutex);
    std::error_code ignored;
    std::vector<fs::path> merged = {m_part};
    for (const auto& entry : fs::directory_iterator(m_part.parent_path(), ignored))
        if (fs::file_time_type::clock::now() - entry.last_write_time(ignored) > kAbandonedAfter)
            merged.push_back(entry.path());
    for (const auto& part : merged) fs::remove(part, ignored);
    fs::remove(m_part.parent_path(), ignored);  // where it is empty now
}

void LineParts::discard() {
    const std::lock_guard lock(m_mutex);
    std::error_code ignored;
    fs::remove(m_part, ignored);
}

}  // namespace dailies::curation
