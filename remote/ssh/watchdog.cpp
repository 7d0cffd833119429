#include "remote/ssh/watchdog.h"

#include <atomic>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dailies::remote::ssh {

namespace {}

Watchdog::Watchdog() : m_thread([this](const std::stop_token& end) { watch(end); }) {}

Watchdog::~Watchdog() {
    m_thread.request_stop();
    m_thread.join();
    closeSockets();
}

void Watchdog::closeSockets() {
    if (m_socket < 0) return;
    struct stat given {
    }, ours{};
    // The number may be another file's by now.
    if (::fstat(m_given, &given) == 0 && ::fstat(m_socket, &ours) == 0 && given.st_ino == ours.st_ino &&
        given.st_dev == ours.st_dev)
        ::close(m_given);
    ::close(m_socket);
}

void Watchdog::setSocket(int fd) {
    const std::lock_guard lock(m_mutex);
    closeSockets();
    m_given = fd;
    m_socket = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (m_reason && m_socket >= 0) ::shutdown(m_socket, SHUT_RD);
}

void Watchdog::abort() {
    const std::lock_guard lock(m_mutex);
    shutDown(Reason::Aborted);
}

std::optional<Watchdog::Reason> Watchdog::reason() const {
    const std::lock_guard lock(m_mutex);
    return m_reason;
}

void Watchdog::watch(const std::stop_token& end) {
    std::unique_lock lock(m_mutex);
    while (!end.stop_requested()) {
        if (m_watching) {
            m_changed.wait_for(lock, end, kTick, [] { return false; });
            if (m_watching) look();
        } else {
            m_changed.wait(lock, end, [this] { return m_watching; });
        }
    }
}

void Watchdog::look() {
    const auto now = Clock::now();
    if (const auto count = bytes(); count != m_lastBytes) {
        m_lastBytes = count;
        m_lastProgress = now;
    }
    if (m_stop.stop_requested()) {
        if (!m_stopSeen) m_stopSeen = now;
        if (now - *m_stopSeen >= m_patience) shutDown(Reason::Stopped);
    } else if (!m_paused && now - m_lastProgress > m_silence) {
        shutDown(Reason::Silence);
    }
}

void Watchdog::shutDown(Reason reason) {
    if (!m_reason) m_reason = reason;
    // Reading alone, which wakes whatever libssh waits in. When a write fails instead, libssh 0.10 closes the
    // socket, and a wait that begins after that (ssh_userauth_*) polls no descriptor until its own time
    // limit.
    if (m_socket >= 0) ::shutdown(m_socket, SHUT_RD);
}

std::uint64_t Watchdog::bytes() const {
    // libssh's own thread writes these plain; a stale value only delays the watchdog by one tick.
    auto& counter = const_cast<ssh_counter_struct&>(m_counter);
    return std::atomic_ref(counter.in_bytes).load(std::memory_order_relaxed) +
           std::atomic_ref(counter.out_bytes).load(std::memory_order_relaxed);
}

Watchdog::Watch::Watch(Watchdog& dog, std::chrono::milliseconds silence, std::stop_token stop,
                       std::chrono::milliseconds patience)
    : m_dog(dog) {
    const std::lock_guard lock(dog.m_mutex);
    dog.m_watching = true;
    dog.m_silence = silence;
    dog.m_patience = patience;
    dog.m_stop = std::move(stop);
    dog.m_stopSeen.reset();
    dog.m_lastProgress = Clock::now();
    dog.m_changed.notify_one();
}

Watchdog::Watch::~Watch() {
    const std::lock_guard lock(m_dog.m_mutex);
    m_dog.m_watching = false;
    m_dog.m_stop = {};
}

Watchdog::Pause::Pause(Watchdog& dog) : m_dog(dog) {
    const std::lock_guard lock(dog.m_mutex);
    dog.m_paused = true;
}

Watchdog::Pause::~Pause() {
    const std::lock_guard lock(m_dog.m_mutex);
    m_dog.m_paused = false;
    m_dog.m_lastProgress = Clock::now();
}

}  // namespace dailies::remote::ssh
