#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace dailies {

/// The whole file; throws `Error` naming the path and the system's reason.
std::string readFile(const std::filesystem::path& path);

/// Writes the whole file or nothing: temporary file beside it, fsync, rename, fsync of the folder. Missing
/// parent folders are made. `permissions` are those of the new file, whatever the umask.
void writeFileAtomically(const std::filesystem::path& path, std::string_view bytes,
                         std::filesystem::perms permissions = std::filesystem::perms::owner_read |
                                                              std::filesystem::perms::owner_write |
                                                              std::filesystem::perms::group_read |
                                                              std::filesystem::perms::others_read);

/// Where Dailies keeps things between sessions, by the XDG rules: $XDG_DATA_HOME/dailies (the store, mirrored
/// clips), $XDG_CONFIG_HOME/dailies (clusters, settings) and $XDG_CACHE_HOME/dailies (what can be made
/// again). The folders are not created here.
std::filesystem::path userDataFolder();
std::filesystem::path userConfigFolder();
std::filesystem::path userCacheFolder();

/// A fresh folder under the system's temporary one, removed with everything in it at the end of its life.
class TemporaryFolder {
public:
    explicit TemporaryFolder(std::string_view prefix = "dailies");
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

}  // namespace dailies
