#include "core/sources/lines.h"

namespace dailies::sources {

namespace {

constexpr std::size_t kLongest = std::size_t{1} << 20;
constexpr const char* kPassLine = "pass_line";

}  // namespace

bool Lines::next(std::string_view& line) {
    const std::string_view ends = m_ends == Ends::LineFeed ? "\n" : "\n\r";
    for (;;) {
        const auto rest = m_reader.rest();
        const auto length = rest.find_first_of(ends);
        const bool whole = length != std::string_view::npos;
        const bool passes = m_reader.state().contains(kPassLine);
        if (!passes && (whole ? length : rest.size()) > kLongest) {
            m_reader.problem("long lines", "a line that is longer than 1 MiB is not read.");
            m_reader.state()[kPassLine] = true;
            continue;
        }
        if (!whole) {
            if (passes) m_reader.consume(rest.size());
            return false;
        }
        line = rest.substr(0, length);
        m_end = rest[length];
        m_reader.consume(length + 1);
        if (passes) {
            m_reader.state().erase(kPassLine);
            continue;
        }
        if (m_ends == Ends::LineFeed && line.ends_with('\r')) line.remove_suffix(1);
        return true;
    }
}

}  // namespace dailies::sources
