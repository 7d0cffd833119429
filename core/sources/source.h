#pragma once

#include "core/tracking/source_findings.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dailies::rules {
class OutputRule;
}

// Readers of what programs write while they run: trackers' files and their output, by byte offset.
namespace dailies::sources {

using Cursor = tracking::SourceCursor;
using Findings = tracking::SourceFindings;
using Media = tracking::SourceMedia;

/// A record or line that is longer than these bytes is passed over, so a reader that is given more of a file
/// than twice this always gets further.
inline constexpr std::int64_t kLongestRecord = std::int64_t{4} << 20;

/// What is read of a file at once.
struct Chunk {
    std::string_view path;   ///< of the file, relative to the run directory: some formats have names there
    std::string_view bytes;  ///< from the cursor's offset on
    /// The first bytes of the file, as many as `Source::headBytes` asks for and there are.
    std::string_view head = {};
    std::int64_t fileSize = 0;                      ///< when the bytes were read
    std::int64_t readMs = 0;                        ///< now, unix ms: the time of points whose file says none
    const rules::OutputRule* outputRule = nullptr;  ///< how the program prints its metrics; null: not said
};

struct Reading {
    Findings findings;
    Cursor next;
};

/// The format of a file that programs append to, and how it is read while it grows. Stateless: what it needs
/// to remember of a file is in the file's cursor. Every method may be called on any thread.
///
/// A new source is one file pair, which makes a subclass, and a line of the registry.
class Source {
public:
    virtual ~Source() = default;

    /// For a person: "TensorBoard".
    virtual std::string_view name() const = 0;

    /// How late what the program logs is in its file, and why, for a person: a sentence.
    virtual std::string_view delay() const = 0;

    /// Whether a file of this path (relative to the run directory, '/' between folders) is one of this
    /// source's, by its name alone.
    virtual bool recognizes(std::string_view path) const = 0;

    /// Where the media lie that its files tell of: a folder beside the file, with '/' behind it.
    virtual std::string_view mediaFolder() const { return ""; }

    /// Whether its files are read only as long as no other source of the run gives metrics, for these would
    /// stand there twice.
    virtual bool givesWay() const { return false; }

    /// How many bytes of the file's beginning `read` is to be given with each chunk.
    virtual std::size_t headBytes() const { return 0; }

    /// Reads the whole records of a chunk. A torn end is no error: `next` stays before it. A file that is
    /// shorter than what was read of it, and still is when it is looked at a minute later, was begun anew,
    /// and so is its reading: nothing is read this time, and `next` is at the beginning. Damage, and what is
    /// out of all proportion (a record of 2^60 bytes, a million metrics), is told once a file in `problems`;
    /// whatever the file holds, this neither throws for it nor keeps more than a small multiple of the chunk.
    /// Points come with keys of valid length, in the order of the file; reading a file in two chunks, cut
    /// anywhere, brings what reading it in one does.
    Reading read(const Chunk& chunk, const Cursor& cursor) const;

    class Reader;

protected:
    virtual void readRecords(Reader& reader) const = 0;
};

/// All of them, in the order in which they are asked whether they recognize a file.
const std::vector<const Source*>& sources();

/// The first source that recognizes a file of this path; null: it is nobody's.
const Source* sourceOf(std::string_view path);

/// By its name; null: there is none.
const Source* sourceNamed(std::string_view name);

}  // namespace dailies::sources
