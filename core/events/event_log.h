#pragma once

#include "core/events/event.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::events {

/// Appends events to a run's events.jsonl. One writer a file (rank 0); one thread at a time. Each line is one
/// write(2), so a kill leaves at most a torn last line, which the next attempt closes with a line feed before
/// its own first event.
class EventLogWriter {
public:
    /// Opens or creates the file, counts the earlier attempts and goes on from their last seq. Throws
    /// `Error`.
    explicit EventLogWriter(const std::filesystem::path& file);
    ~EventLogWriter();
    EventLogWriter(const EventLogWriter&) = delete;
    EventLogWriter& operator=(const EventLogWriter&) = delete;

    std::int64_t attempt() const { return m_attempt; }

    /// Stamps seq, attempt and time, and appends. Throws `Error` when the disk refuses; the event is then not
    /// in the file (a torn piece of it may be, which readers skip) and the writer can be used again.
    void append(Payload payload);

private:
    std::filesystem::path m_file;
    int m_fd = -1;
    std::int64_t m_seq = 0;
    std::int64_t m_attempt = 1;
    bool m_torn = false;  ///< the file does not end with a line feed
};

/// The whole lines at the start of `bytes`, as events; what follows the last line feed is left for the next
/// read.
struct ParsedChunk {
    std::vector<Event> events;
    std::size_t consumed = 0;  ///< bytes up to and with the last line feed: how far the offset moves
    std::vector<std::string>
        malformed;  ///< lines that were no events (torn by a kill); shown to nobody unless many
};
ParsedChunk parseChunk(std::string_view bytes);

}  // namespace dailies::events
