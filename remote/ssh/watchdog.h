#pragma once

#include <libssh/libssh.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace dailies::remote::ssh {

/// How long a wait goes on before it looks whether it was told to stop.
inline constexpr std::chrono::milliseconds kTick{50};

/// How long a remote program that was told to stop is given.
inline constexpr std::chrono::milliseconds kStopPatience{400};

/// Ends calls that libssh would never return from (a frozen server, an unplugged cable, a stop request): a
/// thread that shuts the socket down when neither side has sent a byte for some time. libssh then fails with
/// a socket error, whatever it was waiting for. Only shutdown() is called from outside; the session stays
/// with its own thread.
class Watchdog {
public:
    /// Why the socket was shut down.
    enum class Reason { Silence, Stopped, Aborted };

    Watchdog();
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// The socket to shut down, when it is known. It is duplicated: libssh may close its own at any time. It
    /// does so after failures only, so what it left open is closed at the end; by then it must be done with
    /// it.
    void setSocket(int fd);
    /// Where libssh counts the socket's bytes (ssh_set_counters). Read from the watchdog's thread.
    ssh_counter counter() { return &m_counter; }

    /// From any thread: shuts down now, and at once in every later call.
    void abort();
    std::optional<Reason> reason() const;

    /// While one of these lives, a blocking libssh call is watched.
    class Watch {
    public:
        /// `patience`: how long after a stop request the call may still end by itself, which keeps the
        /// session usable.
        Watch(Watchdog& dog, std::chrono::milliseconds silence, std::stop_token stop = {},
              std::chrono::milliseconds patience = std::chrono::milliseconds(0));
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

    private:
        Watchdog& m_dog;
    };

    /// While one of these lives (a person is being asked) no silence is counted; a stop request still is.
    class Pause {
    public:
        explicit Pause(Watchdog& dog);
        ~Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        Watchdog& m_dog;
    };

private:
    using Clock = std::chrono::steady_clock;

    void closeSockets();
    void watch(const std::stop_token& end);
    void look();
    void shutDown(Reason reason);
    std::uint64_t bytes() const;

    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    int m_given = -1;
    int m_socket = -1;  ///< its duplicate
    ssh_counter_struct m_counter{};
    bool m_watching = false;
    bool m_paused = false;
    std::chrono::milliseconds m_silence{0}, m_patience{0};
    std::stop_token m_stop;
    std::uint64_t m_lastBytes = 0;
    Clock::time_point m_lastProgress;
    std::optional<Clock::time_point> m_stopSeen;
    std::optional<Reason> m_reason;
    std::jthread m_thread;  // last, so that everything it uses outlives it
};

}  // namespace dailies::remote::ssh
