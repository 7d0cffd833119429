#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace dailies {

/// A TCP relay on loopback that hands bytes on after a delay, as a distant network does, without limiting how
/// many are on their way. It can also break, as networks do.
class DelayRelay {
public:
    /// To `port` on loopback; a byte takes half of `roundTrip` each way.
    DelayRelay(int port, std::chrono::milliseconds roundTrip);
    ~DelayRelay();
    DelayRelay(const DelayRelay&) = delete;
    DelayRelay& operator=(const DelayRelay&) = delete;

    int port() const { return m_port; }
    void cut();                              ///< ends all connections, as a router that restarts does
    void swallow() { m_swallowing = true; }  ///< from now on nothing arrives, and nobody is told
    std::uint64_t relayed() const { return m_relayed; }  ///< bytes, both ways

private:
    struct Way;
    void accept(int target);
    void carry(int from, int to);

    std::chrono::milliseconds m_delay;
    int m_listener = -1;
    int m_port = 0;
    std::atomic<bool> m_swallowing = false;
    std::atomic<std::uint64_t> m_relayed = 0;
    std::mutex m_mutex;
    std::vector<int> m_sockets;
    std::vector<std::thread> m_threads;
    std::thread m_acceptor;
};

}  // namespace dailies
