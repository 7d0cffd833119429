#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::ui {

/// Where the rows of a log file begin, so that any of them can be read without what is before it.
///
/// A row is what one line of the view shows: a line of the file, a piece of a very long one, or one state of
/// a progress bar that rewrites its line with carriage returns. Rows are bounded, so nothing that a file
/// holds (fifty megabytes in one line, no line at all) makes reading a screen slow. Immutable; any thread.
struct LogIndex {
    /// Every so many rows one is marked; the rows between are found by reading on from it.
    static constexpr std::int64_t kMarkEvery = 64;
    static constexpr std::size_t kRowBytes = 2000;  ///< the longest row

    struct Mark {
        std::int64_t offset = 0;  ///< of the row's first byte
        std::int64_t line = 0;    ///< of the file, from 0
    };

    std::filesystem::path file;
    std::int64_t bytes = 0;     ///< of the file when it was looked at
    std::int64_t rows = 0;      ///< the unfinished last one included
    std::int64_t complete = 0;  ///< rows that will not change any more
    std::int64_t lines = 0;     ///< of the file, the unfinished last one included
    Mark end;                   ///< behind the last complete row
    std::vector<Mark> marks;
};
using LogIndexPtr = std::shared_ptr<const LogIndex>;

/// The index of the file as it is now, going on where `previous` (of the same file, or null) ended; a file
/// that became shorter is indexed anew. A file that does not exist has no rows. Blocking: about 10 ms a
/// megabyte from a cold disk. Throws `Error`, `Cancelled`.
LogIndexPtr indexLog(const std::filesystem::path& file, const LogIndexPtr& previous = nullptr,
                     const std::stop_token& stop = {});

struct LogRow {
    std::int64_t line = 0;        ///< of the file, from 1
    bool begins = true;           ///< the line's first row
    bool isContinuation = false;  ///< a further piece of the row before, which was cut because it is long
    std::string text;             ///< sanitized: see logText
};

/// At most `count` rows from `first` on. Blocking; reads what it returns and at most 64 rows before.
std::vector<LogRow> readRows(const LogIndex& index, std::int64_t first, std::int64_t count);

/// The rows from `first` on in which any of these words occurs, ASCII letters in any case; a word that is cut
/// between two pieces of one line counts for the piece in which it ends. Blocking: about 5 ms a megabyte.
/// Throws `Cancelled`.
std::vector<std::int64_t> findRows(const LogIndex& index, const std::vector<std::string>& words,
                                   std::int64_t first = 0, const std::stop_token& stop = {});

/// A row as it is shown: colours and cursor movements (ANSI control sequences, titles) are taken out, all
/// other control characters, bidirectional overrides and invalid UTF-8 become visible symbols.
std::string logText(std::string_view bytes);

/// Words that tell of a failure in a log.
const std::vector<std::string>& failureWords();

}  // namespace dailies::ui
