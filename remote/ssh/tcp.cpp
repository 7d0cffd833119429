#include "remote/ssh/tcp.h"

#include "remote/ssh/session_error.h"
#include "remote/ssh/watchdog.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace dailies::remote::ssh {

namespace {

using Clock = std::chrono::steady_clock;
using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Looks a name up in a thread of its own, because getaddrinfo can neither be cancelled nor be given a time
/// limit. A late answer is dropped with the thread.
Addresses lookUp(const std::string& host, int port, Clock::time_point deadline, const std::stop_token& stop) {
    struct Answer {
        int failure = 0;
        Addresses addresses{nullptr, &::freeaddrinfo};
    };
    std::promise<Answer> promise;
    auto future = promise.get_future();
    std::thread([host, port, promise = std::move(promise)]() mutable {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo* list = nullptr;
        const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
        promise.set_value({failure, Addresses(failure == 0 ? list : nullptr, &::freeaddrinfo)});
    }).detach();
    while (future.wait_for(kTick) != std::future_status::ready) {
        if (stop.stop_requested()) throw Cancelled();
        if (Clock::now() > deadline)
            throw SessionError(Failure::Unreachable, "The name " + host + " could not be looked up in time.",
                               "Check the network connection.");
    }
    auto answer = future.get();
    if (answer.failure != 0)
        throw SessionError(Failure::Unreachable,
                           "There is no host called " + host + " (" + ::gai_strerror(answer.failure) + ").",
                           "Check the name, and whether a VPN is needed to see it.");
    return std::move(answer.addresses);
}

/// 0, or the errno of the failure.
int waitUntilConnected(int fd, Clock::time_point deadline, const std::stop_token& stop) {
    for (;;) {
        if (stop.stop_requested()) throw Cancelled();
        if (Clock::now() > deadline) return ETIMEDOUT;
        pollfd waiting{fd, POLLOUT, 0};
        if (::poll(&waiting, 1, static_cast<int>(kTick.count())) <= 0) continue;
        int failure = 0;
        socklen_t size = sizeof failure;
        ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size);
        return failure;
    }
}

SessionError unreachable(const std::string& host, int port, int failure) {
    const auto where = host + " port " + std::to_string(port);
    switch (failure) {
        case ECONNREFUSED:
            return {Failure::Unreachable,
                    "Nothing accepts SSH connections at " + where + " (connection refused).",
                    "Check the port, and whether the SSH server runs."};
        case ETIMEDOUT:
            return {Failure::Unreachable, "No answer from " + where + " in time.",
                    "Check the address, and whether a firewall or a missing VPN is in the way."};
        default:
            return {Failure::Unreachable, "Cannot reach " + where + ": " + std::strerror(failure) + "."};
    }
}

}  // namespace

int connectTcp(const std::string& host, int port, std::chrono::milliseconds timeout,
               const std::stop_token& stop) {
    const auto deadline = Clock::now() + timeout;
    const auto addresses = lookUp(host, port, deadline, stop);
    int failure = EHOSTUNREACH;
    for (const auto* address = addresses.get(); address; address = address->ai_next) {
        const int fd = ::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0) {
            failure = errno;
            continue;
        }
        try {
            failure = ::connect(fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
            if (failure == EINPROGRESS) failure = waitUntilConnected(fd, deadline, stop);
        } catch (...) {
            ::close(fd);
            throw;
        }
        if (failure == 0) {
            ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);  // libssh polls before it reads
            const int yes = 1;
            ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            return fd;
        }
        ::close(fd);
    }
    throw unreachable(host, port, failure);
}

}  // namespace dailies::remote::ssh
