#include "remote/trainer_install/source_bundle.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/digest/sha256.h"

#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace dailies::remote {

namespace fs = std::filesystem;

namespace {

/// What of the checkout the trainer is built from. The desktop's folders are never looked at:
/// core/CMakeLists.txt adds them only with DAILIES_DESKTOP.
constexpr std::array kParts{
    "CMakeLists.txt", "core/CMakeLists.txt", "core/base",   "core/captioning", "core/config",
    "core/curation",  "core/digest",         "core/events", "core/http",       "core/objects",
    "core/planner",   "core/preflight",      "core/video",  "trainer"};

/// Not 0, which Ninja takes for "does not exist".
constexpr std::time_t kFileTime = 946684800;

void addTree(std::map<std::string, std::string>& files, const fs::path& from, const std::string& as) {
    if (fs::is_regular_file(from)) {
        files[as] = readFile(from);
        return;
    }
    if (!fs::is_directory(from))
        throw Error("The trainer's sources are incomplete: " + from.string() + " is missing.",
                    "Set DAILIES_SOURCE to a checkout of Dailies.");
    for (const auto& entry : fs::recursive_directory_iterator(from))
        if (entry.is_regular_file())
            files[as + "/" + entry.path().lexically_relative(from).generic_string()] = readFile(entry.path());
}

bool isSafeName(const std::string& name) {
    const fs::path path(name);
    if (path.empty() || path.is_absolute() || name.find('\0') != std::string::npos) return false;
    for (const fs::path& part : path)
        if (part == ".." || part.empty()) return false;
    return true;
}

/// The trainer's version.
std::string versionOf(const std::map<std::string, std::string>& files) {
    Sha256 hash;
    // The length before each text keeps "ab"+"c" and "a"+"bc" apart.
    const auto add = [&](const std::string& text) {
        hash.add(std::to_string(text.size()) + ":");
        hash.add(text);
    };
    for (const auto& [name, content] : files) {
        add(name);
        add(content);
    }
    return hash.hex(16);
}

std::string ustar(const std::map<std::string, std::string>& files) {
    std::string tar;
    const std::unique_ptr<archive, decltype(&archive_write_free)> writer(archive_write_new(),
                                                                         &archive_write_free);
    const auto require = [&](la_ssize_t status) {
        if (status >= 0) return;
        const char* why = archive_error_string(writer.get());
        throw Error(
            "The trainer's sources could not be packed: " + std::string(why ? why : "unknown reason") + ".");
    };
    require(archive_write_set_format_ustar(writer.get()));
    require(archive_write_set_bytes_per_block(writer.get(), 0));
    const auto append = [](archive*, void* to, const void* bytes, std::size_t size) -> la_ssize_t {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
        return static_cast<la_ssize_t>(size);
    };
    require(archive_write_open(writer.get(), &tar, nullptr, append, nullptr));
    for (const auto& [name, content] : files) {
        const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                                  &archive_entry_free);
        archive_entry_set_pathname(entry.get(), name.c_str());
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_mtime(entry.get(), kFileTime, 0);
        require(archive_write_header(writer.get(), entry.get()));
        require(archive_write_data(writer.get(), content.data(), content.size()));
    }
    require(archive_write_close(writer.get()));
    return tar;
}

}  // namespace

SourceBundle bundleFiles(const std::map<std::string, std::string>& files) {
    for (const auto& [name, content] : files)
        if (!isSafeName(name))
            throw Error("'" + name + "' cannot be packed.", "Relative paths without '..' are accepted.");
    return {versionOf(files), ustar(files)};
}

SourceBundle makeSourceBundle() {
    const char* variable = std::getenv("DAILIES_SOURCE");
    const fs::path source = variable && *variable ? variable : DAILIES_DEFAULT_SOURCE;
    std::map<std::string, std::string> files;
    for (const char* part : kParts) addTree(files, source / part, part);
    const fs::path bundled = source / "bundled/nlohmann";
    addTree(files, fs::exists(bundled) ? bundled : fs::path(DAILIES_NLOHMANN_FOLDER) / "nlohmann",
            "bundled/nlohmann");
    return bundleFiles(files);
}

}  // namespace dailies::remote
