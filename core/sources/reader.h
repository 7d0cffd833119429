#pragma once

#include "core/sources/collector.h"

#include <string>
#include <string_view>

namespace dailies::sources {

/// One reading of one chunk: what a source's `readRecords` reads from, remembers in and tells.
class Source::Reader {
public:
    Reader(const Chunk& chunk, const Cursor& cursor) : m_chunk(chunk), m_next(cursor), m_rest(chunk.bytes) {}

    /// The bytes that were not consumed yet, and where in the file they begin.
    std::string_view rest() const { return m_rest; }
    std::int64_t offset() const { return m_next.offset; }
    void consume(std::size_t bytes);
    /// For what is read by something else than bytes, which `offset` counts then.
    void moveTo(std::int64_t offset) { m_next.offset = offset; }

    /// Whether the file ends in zero bytes: what a network file system shows where a writer's newest bytes
    /// have not come yet, so that what seems damaged may not be.
    bool endsInZeros() const;

    std::string_view path() const { return m_chunk.path; }
    std::string_view head() const { return m_chunk.head; }
    std::int64_t readMs() const { return m_chunk.readMs; }
    const rules::OutputRule* outputRule() const { return m_chunk.outputRule; }

    /// What the source remembers of the file; it must stay small. The names "told", "anew" and "pass_…" are
    /// taken.
    Json& state() { return m_next.state; }

    Collector& out() { return m_out; }

    /// Tells a problem unless one of this kind was told of the file before.
    void problem(const std::string& kind, const std::string& sentence);

    /// The file is not read any further, ever.
    void stop(const std::string& kind, const std::string& sentence);
    bool isStopped() const { return m_next.stopped; }

    /// The file is read from its beginning with the next chunk, with this as its state.
    void beginAnew(Json state = Json::object());

    /// Whether the file has been shorter than what was read of it for a minute.
    bool isShorterForLong();

    /// True once, when the file became shorter and is read from its beginning: it repeats steps of before.
    bool wasBegunAnew();

    /// Passes over the rest of a record that is too long to be read, which may end in a later chunk.
    void passOver(std::uint64_t bytes);
    /// What is left of that in this chunk; true while there is more to come.
    bool passesOver();

    Reading finish();

private:
    const Chunk& m_chunk;
    Cursor m_next;
    std::string_view m_rest;
    Collector m_out;
};

}  // namespace dailies::sources
