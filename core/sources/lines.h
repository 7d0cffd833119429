#pragma once

#include "core/sources/reader.h"

#include <string_view>

namespace dailies::sources {

/// The whole lines of a chunk. One that is longer than 1 MiB is passed over and told; the last one counts
/// once its end is there.
class Lines {
public:
    enum class Ends {
        LineFeed,                  ///< a carriage return before it belongs to it
        LineFeedOrCarriageReturn,  ///< as progress bars have it
    };

    Lines(Source::Reader& reader, Ends ends) : m_reader(reader), m_ends(ends) {}

    /// The next line, without its end, and consumed; false when there is none any more. Valid as long as the
    /// chunk.
    bool next(std::string_view& line);

    char end() const { return m_end; }  ///< of the line that was read last

private:
    Source::Reader& m_reader;
    Ends m_ends;
    char m_end = '\n';
};

}  // namespace dailies::sources
