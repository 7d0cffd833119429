#pragma once

#include "remote/ssh/channel.h"
#include "remote/ssh/connection.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace dailies::remote::ssh {

/// What the command of a `Stream` prints once the login shell has let it start.
inline constexpr std::string_view kReady = "dailies-transfers\n";
/// What a server may send ahead: 160 MB/s over a way of 50 ms. The right size for the buffer of `read`.
inline constexpr std::size_t kReadAhead = 8 << 20;

/// A channel that carries files one way, watched all the time; silence is asked about as in `readUntil`. One
/// at a time on a connection.
class Stream {
public:
    /// `command`: as for `Channel`.
    Stream(Connection& connection, const char* command, const std::stop_token& stop);

    void write(std::string_view bytes);
    void sendEof() { m_channel->sendEof(); }
    /// Waits for the other side to begin; what came behind its word stays in `buffered`.
    void awaitReady();
    /// At least one byte, or none at the stream's end.
    std::size_t read(std::string& buffer);
    /// To the end of both streams: how the command ended.
    int finish();
    /// What it complained of so far.
    std::string errorOutput();

    std::string buffered;

private:
    void watch();

    Connection& m_connection;
    std::stop_token m_stop;
    std::optional<Watchdog::Watch> m_watch;
    std::optional<Channel> m_channel;
    std::string m_err;
};

/// "Cannot read …/clip.mp4 on lab: permission denied."
SessionError transferError(const char* verb, const std::string& remote, const Connection& connection,
                           const std::string& why);

}  // namespace dailies::remote::ssh
