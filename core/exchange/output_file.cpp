#include "core/exchange/output_file.h"

#include "core/base/error.h"
#include "core/base/file_kind.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dailies::exchange {

namespace {

constexpr std::size_t kBuffer = 1 << 18;

}

OutputFile::OutputFile(std::filesystem::path path)
    : m_path(std::move(path)), m_temporary(m_path.string() + ".XXXXXX") {
    if (const auto found = describeNonFile(m_path); !found.empty())
        throw InputError(m_path.string() + " is " + found + ", not a file.", "Name a file to write.");
    std::error_code ignored;  // the open below reports what matters
    if (m_path.has_parent_path()) std::filesystem::create_directories(m_path.parent_path(), ignored);
    m_fd = ::mkostemp(m_temporary.data(), O_CLOEXEC);
    if (m_fd < 0) fail();
    m_buffer.reserve(kBuffer);
}

OutputFile::~OutputFile() {
    if (m_fd < 0) return;
    ::close(m_fd);
    ::unlink(m_temporary.c_str());
}

void OutputFile::fail() const {
    throw Error("Cannot write " + m_path.string() + ": " + std::strerror(errno) + ".",
                "Nothing was changed; choose another location or free some space.");
}

void OutputFile::write(std::string_view bytes) {
    m_buffer += bytes;
    if (m_buffer.size() >= kBuffer) flush();
}

void OutputFile::flush() {
    std::string_view left = m_buffer;
    while (!left.empty()) {
        const auto count = ::write(m_fd, left.data(), left.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail();
        left.remove_prefix(static_cast<std::size_t>(count));
    }
    m_buffer.clear();
}

void OutputFile::commit() {
    flush();
    if (::fchmod(m_fd, 0644) != 0 || ::fsync(m_fd) != 0) fail();
    if (::rename(m_temporary.c_str(), m_path.c_str()) != 0) fail();
    ::close(m_fd);
    m_fd = -1;
}

}  // namespace dailies::exchange
