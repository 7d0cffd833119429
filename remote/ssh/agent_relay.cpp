#include "remote/ssh/agent_relay.h"

#include "remote/ssh/base64.h"
#include "remote/ssh/watchdog.h"
#include "remote/ssh/wire.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace dailies::remote::ssh {

namespace {

constexpr char kListKeys = 11, kKeys = 12, kSign = 13;
constexpr std::size_t kLargestMessage = 256 << 10;  // as OpenSSH's agent has it

int connectTo(const std::filesystem::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto text = socket.string();
    if (text.empty() || text.size() >= sizeof address.sun_path) return -1;
    std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
    if (fd >= 0) ::close(fd);
    return -1;
}

bool readExactly(int fd, char* into, std::size_t size, const std::stop_token& end,
                 const std::stop_token& stop) {
    while (size > 0) {
        if (end.stop_requested() || stop.stop_requested()) return false;
        pollfd waiting{fd, POLLIN, 0};
        if (::poll(&waiting, 1, static_cast<int>(kTick.count())) <= 0) continue;
        const auto count = ::read(fd, into, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        into += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

std::optional<std::string> readMessage(int fd, const std::stop_token& end, const std::stop_token& stop) {
    std::array<char, 4> size{};
    if (!readExactly(fd, size.data(), size.size(), end, stop)) return std::nullopt;
    const auto length = *WireReader({size.data(), size.size()}).number();
    if (length == 0 || length > kLargestMessage) return std::nullopt;
    std::string message(length, '\0');
    if (!readExactly(fd, message.data(), message.size(), end, stop)) return std::nullopt;
    return message;
}

bool writeMessage(int fd, const std::string& message) {
    const auto framed = wireString(message);
    for (std::size_t at = 0; at < framed.size();) {
        const auto count = ::send(fd, framed.data() + at, framed.size() - at, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        at += static_cast<std::size_t>(count);
    }
    return true;
}

}  // namespace

AgentRelay::AgentRelay(const std::filesystem::path& agent, Watchdog& watchdog, const std::stop_token& stop)
    : m_watchdog(watchdog), m_stop(stop), m_agent(connectTo(agent)) {
    std::array<int, 2> ends{-1, -1};
    if (m_agent < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    m_near = ends[0];
    m_far = ends[1];
    m_keys = list();
    m_thread = std::jthread([this](const std::stop_token& end) { serve(end); });
}

AgentRelay::~AgentRelay() {
    if (m_thread.joinable()) {
        m_thread.request_stop();
        m_thread.join();
    }
    for (const int fd : {m_agent, m_near, m_far})
        if (fd >= 0) ::close(fd);
}

void AgentRelay::show(const std::string& key) {
    const std::lock_guard lock(m_mutex);
    m_shown = key;
}

std::vector<std::string> AgentRelay::list() const {
    const Watchdog::Pause pause(m_watchdog);
    std::vector<std::string> keys;
    const auto answer =
        writeMessage(m_agent, std::string(1, kListKeys)) ? readMessage(m_agent, {}, m_stop) : std::nullopt;
    if (!answer || answer->front() != kKeys) return keys;
    WireReader reader(std::string_view(*answer).substr(1));
    for (auto left = reader.number().value_or(0); left > 0; --left) {
        const auto key = reader.string();
        if (!key || !reader.string()) break;  // the second is its comment
        keys.push_back(encodeBase64(*key));
    }
    return keys;
}

void AgentRelay::serve(const std::stop_token& end) {
    while (const auto request = readMessage(m_far, end, m_stop)) {
        if (request->front() == kListKeys) {
            if (!writeMessage(m_far, shownList())) break;
            continue;
        }
        std::optional<Watchdog::Pause> pause;
        if (request->front() == kSign) pause.emplace(m_watchdog);
        if (!writeMessage(m_agent, *request)) break;
        const auto answer = readMessage(m_agent, end, m_stop);
        if (!answer || !writeMessage(m_far, *answer)) break;
    }
    ::shutdown(m_far, SHUT_RDWR);  // libssh would wait for the answer for ever
}

std::string AgentRelay::shownList() {
    const std::lock_guard lock(m_mutex);
    return kKeys + wireNumber(1) + wireString(decodeBase64(m_shown)) + wireString("");
}

}  // namespace dailies::remote::ssh
