#include "remote/ssh/stream.h"

#include "core/base/text.h"
#include "remote/ssh/exec.h"
#include "remote/ssh/watchdog.h"

namespace dailies::remote::ssh {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Stream::Stream(Connection& connection, const char* command, const std::stop_token& stop)
    : m_connection(connection), m_stop(stop) {
    connection.requireConnected();
    watch();
    m_channel.emplace(connection, command);
}

void Stream::watch() {
    m_watch.emplace(m_connection.watchdog(), m_connection.idleTimeout(), m_stop, kStopPatience);
}

void Stream::write(std::string_view bytes) {
    if (m_stop.stop_requested()) throw Cancelled();
    m_channel->write(bytes);
}

void Stream::awaitReady() {
    m_watch.reset();
    readUntil(m_connection, *m_channel, buffered, m_err, m_stop,
              [this] { return buffered.find(kReady) != std::string::npos; });
    const auto at = buffered.find(kReady);
    buffered.erase(0, at == std::string::npos ? at : at + kReady.size());
    watch();
}

std::size_t Stream::read(std::string& buffer) {
    for (auto lastByte = Clock::now();;) {
        if (m_stop.stop_requested()) throw Cancelled();
        if (const auto count = m_channel->read(buffer, kTick); count > 0) return count;
        if (m_channel->atEnd()) return 0;
        if (!m_connection.connected()) m_connection.fail("The transfer was interrupted");
        if (Clock::now() - lastByte < m_connection.keepAliveAfter()) continue;
        m_watch.reset();
        m_connection.keepAlive(m_stop);
        watch();
        lastByte = Clock::now();
    }
}

int Stream::finish() {
    m_watch.reset();
    readUntil(m_connection, *m_channel, buffered, m_err, m_stop, [] { return false; });
    watch();
    return m_channel->waitForExit();
}

std::string Stream::errorOutput() {
    while (m_channel->collect(buffered, m_err, kTick)) {
    }
    return sanitizedText(trim(m_err));
}

SessionError transferError(const char* verb, const std::string& remote, const Connection& connection,
                           const std::string& why) {
    return {Failure::Remote, std::string("Cannot ") + verb + " " + sanitizedText(remote) + " on " +
                                 connection.host() + ": " + why + "."};
}

}  // namespace dailies::remote::ssh
