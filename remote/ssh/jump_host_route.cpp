#include "remote/ssh/jump_host_route.h"

#include "core/base/text.h"
#include "remote/ssh/watchdog.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace dailies::remote::ssh {

namespace {

constexpr std::chrono::milliseconds kEndPatience{500};
constexpr std::size_t kRelayBytes = 128 << 10;
/// What may wait for a session that does not read: then the jump host is not read either, and its window
/// closes.
constexpr std::size_t kMaxWaiting = 4 << 20;

/// Sends what the session takes at once; false when it has hung up.
bool handOver(int socket, std::string& waiting) {
    while (!waiting.empty()) {
        const auto count = ::send(socket, waiting.data(), waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN;
        waiting.erase(0, static_cast<std::size_t>(count));
    }
    return true;
}

}  // namespace

JumpHostRoute::JumpHostRoute(const Endpoint& jumpHost, const std::string& host, int port, Prompter& prompter,
                             const std::stop_token& stop, int jumps)
    : m_hop(jumpHost, prompter, stop, jumps), m_channel(nullptr, &ssh_channel_free) {
    open(host, port, stop);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw SessionError(Failure::Unreachable,
                           std::string("No pair of sockets could be made: ") + std::strerror(errno) + ".");
    m_near = ends[0];
    m_far = ends[1];
    m_carrier = std::jthread([this](const std::stop_token& end) { carry(end); });
}

JumpHostRoute::~JumpHostRoute() {
    m_carrier.request_stop();
    const Watchdog::Watch watch(m_hop.watchdog(), kEndPatience);  // it may be writing to a host that is gone
    m_carrier.join();
    if (m_near >= 0) ::close(m_near);
    ::close(m_far);
    m_channel.reset();
}

void JumpHostRoute::open(const std::string& host, int port, const std::stop_token& stop) {
    const Watchdog::Watch watch(m_hop.watchdog(), m_hop.idleTimeout(), stop);
    m_channel.reset(ssh_channel_new(m_hop.handle()));
    if (m_channel && ssh_channel_open_forward(m_channel.get(), host.c_str(), port, "localhost", 0) == SSH_OK)
        return;
    if (stop.stop_requested()) throw Cancelled();
    const auto where = host + " port " + std::to_string(port);
    if (!m_hop.connected())
        throw SessionError(Failure::Unreachable,
                           "No answer from " + where + " through the jump host " + m_hop.host() + " in time.",
                           "Check the address, and whether the jump host can reach it.");
    const std::string reason = sanitizedText(ssh_get_error(m_hop.handle()));
    m_channel.reset();
    throw SessionError(Failure::Unreachable,
                       "The jump host " + m_hop.host() + " cannot forward to " + where + " (" + reason + ").",
                       "Check the address as seen from there, and that it allows TCP forwarding.");
}

int JumpHostRoute::takeSocket() {
    return std::exchange(m_near, -1);
}

std::string JumpHostRoute::errorOutput() {
    const std::lock_guard lock(m_mutex);
    return m_errorOutput;
}

void JumpHostRoute::carry(const std::stop_token& stop) {
    const auto channel = m_channel.get();
    std::string piece(kRelayBytes, '\0'), waiting;
    const auto ended = [&](const std::string& why) {
        const std::lock_guard lock(m_mutex);
        m_errorOutput = why;
    };
    while (!stop.stop_requested()) {
        const bool keepsUp = waiting.size() < kMaxWaiting;
        std::array<pollfd, 2> watched{
            {{ssh_get_fd(m_hop.handle()), static_cast<short>(keepsUp ? POLLIN : 0), 0},
             {m_far, static_cast<short>(waiting.empty() ? POLLIN : POLLIN | POLLOUT), 0}}};
        ::poll(watched.data(), watched.size(), static_cast<int>(kTick.count()));
        int count = 0;
        while (waiting.size() < kMaxWaiting &&
               (count = ssh_channel_read_nonblocking(channel, piece.data(), kRelayBytes, 0)) > 0)
            waiting.append(piece, 0, static_cast<std::size_t>(count));
        if (!handOver(m_far, waiting)) break;
        const bool isOver = count < 0 || ssh_channel_is_eof(channel) || !m_hop.connected();
        if (isOver && waiting.empty()) {
            if (!m_hop.connected()) ended("the connection to it was lost");
            break;
        }
        const auto sent = ::recv(m_far, piece.data(), kRelayBytes, MSG_DONTWAIT);
        if (sent == 0 || (sent < 0 && errno != EAGAIN && errno != EINTR)) break;
        for (std::size_t at = 0; at < static_cast<std::size_t>(std::max<ssize_t>(sent, 0));) {
            const int written =
                ssh_channel_write(channel, piece.data() + at, static_cast<std::uint32_t>(sent) - at);
            if (written <= 0) {
                ended(sanitizedText(ssh_get_error(m_hop.handle())));
                ::shutdown(m_far, SHUT_RDWR);
                return;
            }
            at += static_cast<std::size_t>(written);
        }
    }
    ::shutdown(m_far, SHUT_RDWR);
}

}  // namespace dailies::remote::ssh
