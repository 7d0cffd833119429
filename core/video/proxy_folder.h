#pragma once

#include <cstdint>
#include <filesystem>

namespace dailies::video {

struct ProxyUsage {
    std::uint64_t bytes = 0;
    int files = 0;
};

/// Where the proxies of clips lie, under a limit of bytes. They can be made again, so the ones that were
/// opened longest ago go when there are too many. Any number of programs may use one folder. Touches the
/// disk.
class ProxyFolder {
public:
    /// Beside the folders of the runs whose clips are mirrored.
    static std::filesystem::path below(const std::filesystem::path& mirror) { return mirror / "proxies"; }

    ProxyFolder(std::filesystem::path folder, std::uint64_t limitBytes, std::uint64_t minFreeBytes);

    /// Where the proxy of a clip's file lies once it has been made. The file as it is now: one of another
    /// size or time of change has another proxy.
    std::filesystem::path placeFor(const std::filesystem::path& clip, std::int64_t bytes,
                                   std::int64_t modifiedNs) const;

    ProxyUsage use() const;
    /// Whether the disk has room for another one.
    bool hasSpace() const;
    /// Removes proxies until the rest keeps to the limit, the ones opened longest ago first.
    void trim() const;

private:
    std::filesystem::path m_folder;
    std::uint64_t m_limit;
    std::uint64_t m_minFree;
};

}  // namespace dailies::video
