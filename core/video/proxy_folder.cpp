#include "core/video/proxy_folder.h"

#include "core/digest/sha256.h"

#include <algorithm>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace dailies::video {

namespace fs = std::filesystem;

namespace {

/// Of how they are encoded: a change makes all of them anew.
constexpr int kRevision = 1;

struct Found {
    fs::path file;
    std::uint64_t bytes = 0;
    std::int64_t usedNs = 0;
};

/// Everything that lies there, what a program left that was killed while it wrote included.
std::vector<Found> filesIn(const fs::path& folder) {
    std::vector<Found> files;
    std::error_code problem;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
        struct stat found {};
        if (::lstat(at->path().c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
        const auto ns = [](const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; };
        files.push_back({at->path(), static_cast<std::uint64_t>(found.st_size),
                         std::max(ns(found.st_atim), ns(found.st_mtim))});
    }
    return files;
}

}  // namespace

ProxyFolder::ProxyFolder(fs::path folder, std::uint64_t limitBytes, std::uint64_t minFreeBytes)
    : m_folder(std::move(folder)), m_limit(limitBytes), m_minFree(minFreeBytes) {}

fs::path ProxyFolder::placeFor(const fs::path& clip, std::int64_t bytes, std::int64_t modifiedNs) const {
    Sha256 identity;
    identity.add(fs::absolute(clip).lexically_normal().string());
    identity.addNumber(bytes);
    identity.addNumber(modifiedNs);
    identity.addNumber(kRevision);
    return m_folder / (identity.hex(kIdDigits) + ".proxy.mp4");
}

ProxyUsage ProxyFolder::use() const {
    ProxyUsage use;
    for (const Found& file : filesIn(m_folder)) {
        use.bytes += file.bytes;
        ++use.files;
    }
    return use;
}

bool ProxyFolder::hasSpace() const {
    std::error_code unknown;
    fs::path there = fs::absolute(m_folder);
    while (!fs::exists(there, unknown) && there.has_relative_path()) there = there.parent_path();
    const auto disk = fs::space(there, unknown);
    return unknown || disk.available > m_minFree;
}

void ProxyFolder::trim() const {
    auto files = filesIn(m_folder);
    std::ranges::sort(files, [](const Found& a, const Found& b) {
        return std::tie(a.usedNs, a.file) > std::tie(b.usedNs, b.file);
    });
    std::uint64_t held = 0;
    for (const Found& file : files) {
        held += file.bytes;
        std::error_code gone;
        if (held > m_limit && fs::remove(file.file, gone)) held -= file.bytes;
    }
}

}  // namespace dailies::video
