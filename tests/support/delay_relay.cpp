#include "tests/support/delay_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dailies {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kPiece = 256 << 10;
constexpr std::size_t kMaxOnTheWay = 64 << 20;

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
}

void withoutDelay(int socket) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

/// The bytes on their way in one direction, each with the time of its arrival.
struct DelayRelay::Way {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::pair<Clock::time_point, std::string>> pieces;
    std::size_t size = 0;
    bool ended = false;
};

DelayRelay::DelayRelay(int port, std::chrono::milliseconds roundTrip) : m_delay(roundTrip / 2) {
    m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(0);
    socklen_t size = sizeof address;
    ::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(m_listener, 16);
    ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size);
    m_port = ntohs(address.sin_port);
    m_acceptor = std::thread([this, port] { accept(port); });
}

DelayRelay::~DelayRelay() {
    ::shutdown(m_listener, SHUT_RDWR);
    m_acceptor.join();
    cut();
    for (auto& thread : m_threads) thread.join();
    for (const int socket : m_sockets) ::close(socket);
    ::close(m_listener);
}

void DelayRelay::cut() {
    const std::lock_guard lock(m_mutex);
    for (const int socket : m_sockets) ::shutdown(socket, SHUT_RDWR);
}

void DelayRelay::accept(int target) {
    for (;;) {
        const int near = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (near < 0) return;
        const int far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const auto address = loopback(target);
        if (::connect(far, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            ::close(near);
            ::close(far);
            continue;
        }
        withoutDelay(near);
        withoutDelay(far);
        const std::lock_guard lock(m_mutex);
        m_sockets.insert(m_sockets.end(), {near, far});
        m_threads.emplace_back([this, near, far] { carry(near, far); });
        m_threads.emplace_back([this, near, far] { carry(far, near); });
    }
}

void DelayRelay::carry(int from, int to) {
    Way way;
    std::thread writer([&] {
        std::unique_lock lock(way.mutex);
        for (;;) {
            way.changed.wait(lock, [&] { return way.ended || !way.pieces.empty(); });
            if (way.pieces.empty()) break;
            const auto [arrival, bytes] = std::move(way.pieces.front());
            way.pieces.pop_front();
            way.size -= bytes.size();
            way.changed.notify_all();
            lock.unlock();
            std::this_thread::sleep_until(arrival);
            for (std::size_t at = 0; at < bytes.size() && !m_swallowing;) {
                const auto count = ::send(to, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
                if (count <= 0) break;
                at += static_cast<std::size_t>(count);
            }
            m_relayed += bytes.size();
            lock.lock();
        }
        ::shutdown(to, SHUT_WR);
    });
    std::string piece(kPiece, '\0');
    for (;;) {
        const auto count = ::recv(from, piece.data(), piece.size(), 0);
        std::unique_lock lock(way.mutex);
        if (count <= 0) break;
        way.pieces.emplace_back(Clock::now() + m_delay, piece.substr(0, static_cast<std::size_t>(count)));
        way.size += static_cast<std::size_t>(count);
        way.changed.notify_all();
        way.changed.wait(lock, [&] { return way.size < kMaxOnTheWay; });
    }
    {
        const std::lock_guard lock(way.mutex);
        way.ended = true;
    }
    way.changed.notify_all();
    writer.join();
}

}  // namespace dailies
