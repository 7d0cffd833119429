#include "core/log/rotating_sink.h"

#include "core/base/text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace dailies::log {

namespace {

constexpr std::size_t kLongestLine = 4 << 10;  ///< of text; of a longer one the beginning is enough
/// Another program holds the lock for microseconds, unless it was stopped meanwhile.
constexpr std::chrono::milliseconds kLockPatience{300};
constexpr std::chrono::milliseconds kLockTick{2};
constexpr std::chrono::seconds kLockRest{10};

std::string oneLine(const std::string& text) {
    std::string line;
    for (const char c : sanitizedText(text)) {
        if (line.size() >= kLongestLine) return line + " …";
        if (c == '\n')
            line += " ⏎ ";
        else
            line += c == '\t' ? ' ' : c;
    }
    return line;
}

}  // namespace

RotatingSink::RotatingSink(LogFile file, std::vector<std::string> secrets)
    : m_file(std::move(file)), m_secrets(std::move(secrets)) {}

RotatingSink::~RotatingSink() {
    if (m_descriptor >= 0) ::close(m_descriptor);
    if (m_lock >= 0) ::close(m_lock);
}

void RotatingSink::sink_it_(const spdlog::details::log_msg& message) {
    if (!m_redactor) m_redactor.emplace(m_secrets);
    const auto text = oneLine((*m_redactor)({message.payload.data(), message.payload.size()}));
    spdlog::details::log_msg clean = message;
    clean.payload = text;
    spdlog::memory_buf_t line;
    formatter_->format(clean, line);
    append({line.data(), line.size()});
}

void RotatingSink::flush_() {
    const std::lock_guard held(m_flushMutex);
    ++m_flushes;
    m_flushed.notify_all();
}

std::uint64_t RotatingSink::waitForFlush(std::uint64_t count, std::chrono::milliseconds limit) {
    std::unique_lock held(m_flushMutex);
    m_flushed.wait_for(held, limit, [&] { return m_flushes >= count; });
    return m_flushes;
}

void RotatingSink::append(std::string_view line) {
    const bool locked = lock();
    if ((m_descriptor < 0 || !isCurrent()) && !openFile()) return report(errno);
    struct stat info {};
    // Alone in it or not: the system puts a whole line at the end. Only a new file needs the lock.
    if (locked && ::fstat(m_descriptor, &info) == 0 && info.st_size > 0 &&
        static_cast<std::uint64_t>(info.st_size) + line.size() > m_file.bytes) {
        rotate();
        if (!openFile()) return report(errno);
        info.st_size = 0;
    }
    const auto written = ::write(m_descriptor, line.data(), line.size());
    const int problem = written < 0 ? errno : ENOSPC;
    if (written != static_cast<ssize_t>(line.size())) {
        // Half a line would become one with the next.
        if (locked && written > 0 && ::ftruncate(m_descriptor, info.st_size) != 0) openFile();
        report(problem);
    }
    if (locked) ::flock(m_lock, LOCK_UN);
}

/// false: it is not to be had, and the log goes on without.
bool RotatingSink::lock() {
    if (m_lock < 0) {
        std::error_code unwritable;
        std::filesystem::create_directories(m_file.path.parent_path(), unwritable);
        m_lock = ::open((m_file.path.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (m_lock < 0) return false;
    }
    const auto begin = Clock::now();
    if (begin < m_lockAgain) return ::flock(m_lock, LOCK_EX | LOCK_NB) == 0;
    while (::flock(m_lock, LOCK_EX | LOCK_NB) != 0) {
        if (Clock::now() - begin > kLockPatience) {
            m_lockAgain = Clock::now() + kLockRest;
            return false;
        }
        std::this_thread::sleep_for(kLockTick);
    }
    return true;
}

bool RotatingSink::openFile() {
    if (m_descriptor >= 0) ::close(m_descriptor);
    std::error_code unwritable;  // somebody may have removed the folder
    std::filesystem::create_directories(m_file.path.parent_path(), unwritable);
    m_descriptor = ::open(m_file.path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return m_descriptor >= 0;
}

bool RotatingSink::isCurrent() const {
    struct stat ours {
    }, there{};
    return ::fstat(m_descriptor, &ours) == 0 && ::stat(m_file.path.c_str(), &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

void RotatingSink::rotate() {
    std::error_code absent;
    for (int number = m_file.files - 1; number > 0; --number)
        std::filesystem::rename(m_file.earlier(number - 1), m_file.earlier(number), absent);
    if (m_file.files < 2) std::filesystem::remove(m_file.path, absent);
}

void RotatingSink::report(int error) {
    if (m_lock >= 0) ::flock(m_lock, LOCK_UN);
    if (m_reported) return;
    m_reported = true;
    std::fprintf(stderr, "dailies: the log %s cannot be written: %s.\n", m_file.path.c_str(),
                 std::strerror(error));
}

}  // namespace dailies::log
