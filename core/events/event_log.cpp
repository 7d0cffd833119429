#include "core/events/event_log.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace dailies::events {

EventLogWriter::EventLogWriter(const std::filesystem::path& file) : m_file(file) {
    if (std::filesystem::exists(file)) {
        const std::string bytes = readFile(file);
        const ParsedChunk earlier = parseChunk(bytes);
        for (const auto& event : earlier.events) {
            m_seq = std::max(m_seq, event.seq);
            m_attempt = std::max(m_attempt, event.attempt + 1);
        }
        m_torn = earlier.consumed < bytes.size();
    }
    m_fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (m_fd < 0) throw Error("Cannot write " + file.string() + ": " + std::strerror(errno) + ".");
}

EventLogWriter::~EventLogWriter() {
    if (m_fd >= 0) ::close(m_fd);
}

void EventLogWriter::append(Payload payload) {
    std::string line = encode({m_seq + 1, m_attempt, unixSeconds(), std::move(payload)}) + "\n";
    if (m_torn) line.insert(line.begin(), '\n');
    const char* at = line.data();
    for (std::size_t left = line.size(); left > 0;) {
        const auto count = ::write(m_fd, at, left);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            m_torn = m_torn || left < line.size();
            throw Error("Cannot write " + m_file.string() + ": " + std::strerror(errno) + ".");
        }
        at += count;
        left -= static_cast<std::size_t>(count);
    }
    m_torn = false;
    ++m_seq;
}

ParsedChunk parseChunk(std::string_view bytes) {
    ParsedChunk chunk;
    for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n', chunk.consumed)) {
        const auto line = bytes.substr(chunk.consumed, end - chunk.consumed);
        chunk.consumed = end + 1;
        if (line.empty()) continue;
        try {
            if (auto event = decode(line)) chunk.events.push_back(std::move(*event));
        } catch (const InputError&) {
            chunk.malformed.emplace_back(line);
        }
    }
    return chunk;
}

}  // namespace dailies::events
