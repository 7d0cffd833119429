#include "core/tracking/store_lock.h"

#include "core/base/text.h"
#include "core/tracking/store_read_only_error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace dailies::tracking {

namespace {

/// "4711 on host", as the holder wrote it.
std::string holderIn(int descriptor) {
    std::array<char, 256> text{};
    const auto count = ::pread(descriptor, text.data(), text.size(), 0);
    return count > 0 ? sanitizedText(trim(std::string_view(text.data(), static_cast<std::size_t>(count))))
                     : "";
}

void writeHolder(int descriptor) {
    std::array<char, 200> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string text = std::to_string(::getpid()) + " on " + host.data() + "\n";
    // only for the message of the next one: the lock holds without it
    if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
}

}  // namespace

StoreLock::StoreLock(const std::filesystem::path& storeFile) {
    const auto store = std::filesystem::absolute(storeFile);
    const std::string name = store.string() + ".lock";
    std::error_code problem;
    std::filesystem::create_directories(store.parent_path(), problem);
    m_descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (m_descriptor < 0)
        throw StoreReadOnlyError("The tracking store " + store.string() + " cannot be written (" + name +
                                     ": " + std::strerror(errno) + ").",
                                 "Check the permissions of its folder, or open it for reading only.");
    if (::flock(m_descriptor, LOCK_EX | LOCK_NB) == 0) {
        writeHolder(m_descriptor);
        return;
    }
    const int reason = errno;
    const std::string holder = holderIn(m_descriptor);
    ::close(std::exchange(m_descriptor, -1));
    if (reason != EWOULDBLOCK) return;  // a file system without locks: nobody can be told, nobody is kept out
    throw StoreReadOnlyError("This database is open in another Dailies" +
                                 (holder.empty() ? std::string(".") : " (process " + holder + ")."),
                             "Use that window; here " + store.string() + " can only be read.");
}

StoreLock::~StoreLock() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

StoreLock::StoreLock(StoreLock&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

StoreLock& StoreLock::operator=(StoreLock&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

}  // namespace dailies::tracking
