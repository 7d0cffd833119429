#include "core/base/ports.h"

#include "core/base/error.h"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace dailies {

namespace {

class Socket {
public:
    Socket() : m_fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    ~Socket() {
        if (m_fd >= 0) ::close(m_fd);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool isFree(int port) {
    const Socket socket;
    const int yes = 1;  // as daemons do: a port whose old connections still fade away is free
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const auto address = loopback(port);
    return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::vector<int> freePorts(int count, int preferred) {
    std::vector<int> ports;
    if (preferred != 0 && isFree(preferred)) ports.push_back(preferred);
    std::random_device random;
    std::uniform_int_distribution<int> choose(20000, 31999);
    for (int tries = 0; static_cast<int>(ports.size()) < count; ++tries) {
        if (tries > 1000) throw Error("No free TCP ports between 20000 and 31999 on this machine.");
        const int port = choose(random);
        if (std::find(ports.begin(), ports.end(), port) == ports.end() && isFree(port)) ports.push_back(port);
    }
    return ports;
}

bool acceptsConnections(int port) {
    const Socket socket;
    const auto address = loopback(port);
    return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace dailies
