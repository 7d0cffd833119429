#include "ui/run_details/log_index.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace dailies::ui {

namespace {

constexpr std::size_t kChunk = 1 << 20;

class File {
public:
    explicit File(const std::filesystem::path& path)
        : m_path(path), m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (m_fd < 0 && errno != ENOENT) refuse();
    }
    ~File() {
        if (m_fd >= 0) ::close(m_fd);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    std::int64_t size() const {
        struct stat info {};
        if (m_fd < 0) return 0;
        if (::fstat(m_fd, &info) != 0) refuse();
        return info.st_size;
    }

    std::string read(std::int64_t offset, std::size_t most) const {
        std::string bytes(most, '\0');
        std::size_t have = 0;
        while (m_fd >= 0 && have < most) {
            const auto count =
                ::pread(m_fd, bytes.data() + have, most - have, offset + static_cast<std::int64_t>(have));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) refuse();
            if (count == 0) break;
            have += static_cast<std::size_t>(count);
        }
        bytes.resize(have);
        return bytes;
    }

private:
    [[noreturn]] void refuse() const {
        throw Error("Cannot read the log " + m_path.string() + ": " + std::strerror(errno) + ".");
    }
    std::filesystem::path m_path;
    int m_fd;
};

struct RowEnd {
    std::size_t length = 0;  ///< with the line end; 0: more bytes are needed to tell
    std::size_t text = 0;    ///< without it
    bool endsLine = false;
};

RowEnd rowAt(std::string_view bytes) {
    constexpr std::size_t kLookAhead = 4;  // a character's bytes, or "\r\n"
    const std::size_t limit = std::min(bytes.size(), LogIndex::kRowBytes + 1);
    std::size_t at = 0;
    while (at < limit && bytes[at] != '\n' && bytes[at] != '\r') ++at;
    if (at < limit) {
        if (bytes[at] == '\n') return {at + 1, at, true};
        if (at + 1 == bytes.size()) return {};
        return bytes[at + 1] == '\n' ? RowEnd{at + 2, at, true} : RowEnd{at + 1, at, false};
    }
    if (bytes.size() < LogIndex::kRowBytes + kLookAhead) return {};
    std::size_t cut = LogIndex::kRowBytes;
    for (int back = 0; back < 3 && (static_cast<unsigned char>(bytes[cut]) & 0xc0) == 0x80; ++back) --cut;
    return {cut, cut, false};
}

struct Row {
    std::int64_t offset = 0, next = 0;  ///< of its first byte and of the row behind it
    std::string_view bytes;             ///< without its end
    bool endsLine = false;

    /// Nothing ends it: it is a piece of a long line, or the unfinished last row.
    bool isCut() const { return next - offset == static_cast<std::int64_t>(bytes.size()); }
};

/// Calls `see(const Row&)` for each row from `offset` on until it returns false or the file ends at `end`;
/// the unfinished last row included when `tail`.
template <typename See>
void eachRow(const File& file, std::int64_t offset, std::int64_t end, bool tail, const std::stop_token& stop,
             See see) {
    while (offset < end) {
        if (stop.stop_requested()) throw Cancelled();
        const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(kChunk, end - offset));
        const std::string chunk = file.read(offset, wanted);
        std::string_view rest(chunk);
        while (!rest.empty()) {
            const RowEnd row = rowAt(rest);
            if (row.length == 0) break;
            const std::int64_t next = offset + static_cast<std::int64_t>(row.length);
            if (!see(Row{offset, next, rest.substr(0, row.text), row.endsLine})) return;
            offset = next;
            rest.remove_prefix(row.length);
        }
        const std::int64_t read = offset + static_cast<std::int64_t>(rest.size());
        if (chunk.size() < wanted || read >= end) {
            if (tail && !rest.empty()) see(Row{offset, read, rest, false});
            return;
        }
    }
}

char lowered(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::string loweredCopy(std::string_view text) {
    std::string copy(text);
    for (char& c : copy) c = lowered(c);
    return copy;
}

/// Appends the text without what only colours it or moves the cursor.
void appendPlain(std::string& plain, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto escape = bytes.find('\x1b');
        plain += bytes.substr(0, escape);
        if (escape == std::string_view::npos) break;
        bytes.remove_prefix(escape);
        std::size_t length = 0;  // of a sequence that only moves or colours
        if (bytes.size() > 2 && bytes[1] == '[') {
            std::size_t at = 2;
            while (at < bytes.size() && bytes[at] >= 0x20 && bytes[at] < 0x40) ++at;
            if (at < bytes.size() && bytes[at] >= 0x40 && bytes[at] < 0x7f) length = at + 1;
        } else if (bytes.size() > 2 && bytes[1] == ']') {
            const auto end = bytes.find_first_of("\a\x1b", 2);
            if (end != std::string_view::npos)
                length = end + (bytes[end] == '\a' ? 1 : bytes.substr(end).starts_with("\x1b\\") ? 2 : 0);
        }
        if (length == 0) {
            plain += '\x1b';
            length = 1;
        }
        bytes.remove_prefix(length);
    }
}

/// Looks for words in rows as they are shown, many rows at once because a call for each row costs more than
/// the search in it.
class RowSearch {
public:
    explicit RowSearch(const std::vector<std::string>& words) {
        for (const auto& word : words)
            if (!word.empty()) m_words.push_back(loweredCopy(word));
        for (const auto& word : m_words) m_longest = std::max(m_longest, word.size());
    }
    bool isEmpty() const { return m_words.empty(); }

    /// Rows come in their order without a gap.
    void add(std::int64_t number, const Row& row) {
        if (m_ends.empty()) m_first = number;
        const std::size_t begin = m_text.size();
        appendPlain(m_text, row.bytes);  // a colour in the middle of a word must not hide it
        std::transform(m_text.begin() + static_cast<std::ptrdiff_t>(begin), m_text.end(),
                       m_text.begin() + static_cast<std::ptrdiff_t>(begin), lowered);
        if (!row.isCut()) m_text += '\n';
        m_ends.push_back(m_text.size());
        if (m_text.size() >= kBlock) look(row.isCut());
    }

    std::vector<std::int64_t> take() {
        look(false);
        return std::move(m_found);
    }

private:
    static constexpr std::size_t kBlock = 64 << 10;  ///< stays in the processor's cache

    /// `isContinuation`: the last row's line does in the next one.
    void look(bool isContinuation) {
        std::vector<std::int64_t> found;
        for (const auto& word : m_words)
            for (std::size_t from = 0; from < m_text.size();) {
                const void* hit =
                    ::memmem(m_text.data() + from, m_text.size() - from, word.data(), word.size());
                if (!hit) break;
                const std::size_t end =
                    static_cast<std::size_t>(static_cast<const char*>(hit) - m_text.data()) + word.size();
                const auto row = std::lower_bound(m_ends.begin(), m_ends.end(), end);
                if (end > m_carried) found.push_back(m_first + (row - m_ends.begin()));
                from = *row + 1 - word.size();  // once a row is enough
            }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        m_found.insert(m_found.end(), found.begin(), found.end());
        m_carried = isContinuation ? std::min(m_text.size(), m_longest - 1) : 0;
        m_text.erase(0, m_text.size() - m_carried);
        if (isContinuation) m_first += static_cast<std::int64_t>(m_ends.size()) - 1;
        m_ends.clear();
        if (isContinuation) m_ends.push_back(m_carried);
    }

    std::vector<std::string> m_words;
    std::size_t m_longest = 0;
    std::int64_t m_first = 0;         ///< the row that `m_text` begins with
    std::string m_text;               ///< lowered rows, a line feed behind each that is not cut
    std::vector<std::size_t> m_ends;  ///< of each row in `m_text`
    std::size_t m_carried = 0;        ///< bytes of `m_text` that were looked through with the rows before
    std::vector<std::int64_t> m_found;
};

}  // namespace

LogIndexPtr indexLog(const std::filesystem::path& file, const LogIndexPtr& previous,
                     const std::stop_token& stop) {
    const File log(file);
    const std::int64_t size = log.size();
    const bool isContinuation = previous && previous->file == file && size >= previous->bytes;
    if (isContinuation && size == previous->bytes) return previous;
    auto index = isContinuation ? std::make_shared<LogIndex>(*previous) : std::make_shared<LogIndex>();
    index->file = file;
    index->bytes = size;
    eachRow(log, index->end.offset, size, false, stop, [&](const Row& row) {
        if (index->complete % LogIndex::kMarkEvery == 0)
            index->marks.push_back({row.offset, index->end.line});
        ++index->complete;
        index->end = {row.next, index->end.line + row.endsLine};
        return true;
    });
    index->rows = index->complete + (index->end.offset < size ? 1 : 0);
    index->lines = index->end.line + (index->rows > index->complete ? 1 : 0);
    return index;
}

std::vector<LogRow> readRows(const LogIndex& index, std::int64_t first, std::int64_t count) {
    std::vector<LogRow> rows;
    first = std::max<std::int64_t>(first, 0);
    const std::int64_t last = std::min(first + count, index.rows);
    if (first >= last) return rows;
    const auto mark = static_cast<std::size_t>(first / LogIndex::kMarkEvery);
    // The unfinished last row may be the first of a stretch that has no mark yet.
    const bool marked = mark < index.marks.size();
    std::int64_t row = marked ? static_cast<std::int64_t>(mark) * LogIndex::kMarkEvery : index.complete;
    LogIndex::Mark at = marked ? index.marks[mark] : index.end;
    // A row begins its line when the row before ended one; of a mark's row only the bytes before tell.
    bool begins = true, isContinuation = false;
    const File log(index.file);
    if (at.offset > 0) {
        const std::string before = log.read(at.offset - 1, 1);
        begins = before == "\n";
        isContinuation = !begins && before != "\r";
    }
    eachRow(log, at.offset, index.bytes, true, {}, [&](const Row& seen) {
        if (row >= first) rows.push_back({at.line + 1, begins, isContinuation, logText(seen.bytes)});
        begins = seen.endsLine;
        isContinuation = seen.isCut();
        at.line += seen.endsLine;
        return ++row < last;
    });
    return rows;
}

std::vector<std::int64_t> findRows(const LogIndex& index, const std::vector<std::string>& words,
                                   std::int64_t first, const std::stop_token& stop) {
    RowSearch search(words);
    if (search.isEmpty() || index.rows == 0) return {};
    // From the row before: a word may begin there.
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(first - 1, 0) / LogIndex::kMarkEvery);
    const auto mark = std::min(wanted, index.marks.empty() ? 0 : index.marks.size() - 1);
    std::int64_t row = static_cast<std::int64_t>(mark) * LogIndex::kMarkEvery;
    const File log(index.file);
    eachRow(log, index.marks.empty() ? 0 : index.marks[mark].offset, index.bytes, true, stop,
            [&](const Row& seen) {
                search.add(row, seen);
                return ++row < index.rows;
            });
    auto found = search.take();
    found.erase(found.begin(), std::lower_bound(found.begin(), found.end(), first));
    return found;
}

std::string logText(std::string_view bytes) {
    std::string plain;
    plain.reserve(bytes.size());
    appendPlain(plain, bytes);
    return sanitizedText(plain);
}

const std::vector<std::string>& failureWords() {
    static const std::vector<std::string> words{"error",  "traceback",          "exception",     "fatal",
                                                "abort",  "segmentation fault", "out of memory", "oom-kill",
                                                "killed", "non-finite",         "not finite"};
    return words;
}

}  // namespace dailies::ui
