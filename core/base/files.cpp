#include "core/base/files.h"

#include "core/base/error.h"
#include "core/base/file_kind.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dailies {

namespace {

[[noreturn]] void fail(const char* verb, const std::filesystem::path& path) {
    throw Error(std::string("Cannot ") + verb + " " + path.string() + ": " + std::strerror(errno) + ".");
}

class FileDescriptor {
public:
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    ~FileDescriptor() {
        if (m_fd >= 0) ::close(m_fd);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

}  // namespace

std::string readFile(const std::filesystem::path& path) {
    // before it is opened: a FIFO would wait for somebody who writes to it
    if (const auto found = describeNonReadable(path); !found.empty())
        throw Error("Cannot read " + path.string() + ": it is " + found + ", not a file.");
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) fail("read", path);
    std::string bytes;
    char buffer[1 << 16];
    for (;;) {
        const auto count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("read", path);
        if (count == 0) return bytes;
        bytes.append(buffer, static_cast<std::size_t>(count));
    }
}

void writeFileAtomically(const std::filesystem::path& path, std::string_view bytes,
                         std::filesystem::perms permissions) {
    if (const auto found = describeNonFile(path); !found.empty())
        throw Error("Cannot write " + path.string() + ": it is " + found + ", not a file.");
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    std::error_code ignored;  // the open below reports what matters
    std::filesystem::create_directories(folder, ignored);
    std::string temporary = path.string() + ".XXXXXX";
    try {
        const FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
        if (file.get() < 0) fail("write", path);
        while (!bytes.empty()) {
            const auto count = ::write(file.get(), bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) fail("write", path);
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        if (::fchmod(file.get(), static_cast<mode_t>(permissions)) != 0) fail("set the permissions of", path);
        if (::fsync(file.get()) != 0) fail("write", path);
        if (::rename(temporary.c_str(), path.c_str()) != 0) fail("write", path);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    const FileDescriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() >= 0) ::fsync(directory.get());
}

namespace {

std::filesystem::path xdgFolder(const char* variable, const char* fallback) {
    if (const char* set = std::getenv(variable); set && *set == '/')
        return std::filesystem::path(set) / "dailies";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home && *home ? home : "/tmp") / fallback / "dailies";
}

}  // namespace

std::filesystem::path userDataFolder() {
    return xdgFolder("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path userConfigFolder() {
    return xdgFolder("XDG_CONFIG_HOME", ".config");
}

std::filesystem::path userCacheFolder() {
    return xdgFolder("XDG_CACHE_HOME", ".cache");
}

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
    std::string name = (std::filesystem::temp_directory_path() / prefix).string() + "-XXXXXX";
    if (!::mkdtemp(name.data())) fail("create the folder", name);
    m_path = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

}  // namespace dailies
