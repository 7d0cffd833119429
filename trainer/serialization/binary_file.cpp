#include "trainer/serialization/binary_file.h"

#include "core/base/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dailies::trainer {

namespace {

constexpr std::uint64_t kLargestCall = std::uint64_t{1} << 30;  // Linux moves at most 2 GiB a call

}  // namespace

BinaryFile::BinaryFile(const std::filesystem::path& path, int flags, const char* verb)
    : m_path(path), m_verb(verb), m_fd(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (m_fd < 0) fail();
}

BinaryFile BinaryFile::openForRead(const std::filesystem::path& path) {
    return {path, O_RDONLY, "read"};
}

BinaryFile BinaryFile::openForWrite(const std::filesystem::path& path) {
    return {path, O_WRONLY | O_CREAT | O_TRUNC, "write"};
}

BinaryFile::~BinaryFile() {
    if (m_fd >= 0) ::close(m_fd);
}

std::uint64_t BinaryFile::size() const {
    struct stat facts {};
    if (::fstat(m_fd, &facts) != 0) fail();
    return static_cast<std::uint64_t>(facts.st_size);
}

void BinaryFile::readAt(std::uint64_t offset, void* bytes, std::uint64_t count) const {
    auto* at = static_cast<char*>(bytes);
    while (count > 0) {
        const auto got = ::pread(m_fd, at, std::min(count, kLargestCall), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail();
        if (got == 0) throw Error(m_path.string() + " ends too early.");
        at += got;
        offset += static_cast<std::uint64_t>(got);
        count -= static_cast<std::uint64_t>(got);
    }
}

void BinaryFile::write(const void* bytes, std::uint64_t count) {
    const auto* at = static_cast<const char*>(bytes);
    while (count > 0) {
        const auto written = ::write(m_fd, at, std::min(count, kLargestCall));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        at += written;
        count -= static_cast<std::uint64_t>(written);
    }
}

void BinaryFile::flush() const {
    if (::fsync(m_fd) != 0) fail();
}

void BinaryFile::fail() const {
    throw Error(std::string("Cannot ") + m_verb + " " + m_path.string() + ": " + std::strerror(errno) + ".");
}

void flushFolder(const std::filesystem::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
}

}  // namespace dailies::trainer
