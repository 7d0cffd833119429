#include "core/sources/reader.h"

#include <algorithm>
#include <utility>

namespace dailies::sources {

namespace {

constexpr const char* kTold = "told";
constexpr const char* kAnew = "anew";
constexpr const char* kPassOver = "pass_over";
constexpr std::size_t kMostProblems = 32;  // of a file

}  // namespace

void Source::Reader::consume(std::size_t bytes) {
    bytes = std::min(bytes, m_rest.size());
    m_rest.remove_prefix(bytes);
    m_next.offset += static_cast<std::int64_t>(bytes);
}

bool Source::Reader::endsInZeros() const {
    constexpr std::string_view kZeros("\0\0\0\0\0\0\0\0", 8);
    return m_rest.ends_with(kZeros) &&
           m_next.offset + static_cast<std::int64_t>(m_rest.size()) >= m_chunk.fileSize;
}

void Source::Reader::problem(const std::string& kind, const std::string& sentence) {
    auto& told = m_next.state[kTold];
    if (!told.is_array()) told = Json::array();
    if (told.size() >= kMostProblems || std::find(told.begin(), told.end(), Json(kind)) != told.end()) return;
    told.push_back(kind);
    m_out.findings().problems.push_back(sentence);
}

void Source::Reader::stop(const std::string& kind, const std::string& sentence) {
    problem(kind, sentence);
    m_next.stopped = true;
}

void Source::Reader::beginAnew(Json state) {
    if (const auto told = m_next.state.find(kTold); told != m_next.state.end()) state[kTold] = *told;
    m_next = Cursor{0, false, std::move(state), m_next.attempt};
    m_rest = {};
}

bool Source::Reader::wasBegunAnew() {
    return m_next.state.erase(kAnew) > 0;
}

void Source::Reader::passOver(std::uint64_t bytes) {
    m_next.state[kPassOver] = bytes;
    passesOver();
}

bool Source::Reader::passesOver() {
    auto& state = m_next.state;
    const auto left = state.find(kPassOver);
    if (left == state.end()) return false;
    const std::uint64_t wanted = left->is_number() ? left->get<std::uint64_t>() : 0;
    const std::uint64_t here = std::min<std::uint64_t>(wanted, m_rest.size());
    consume(static_cast<std::size_t>(here));
    if (here == wanted)
        state.erase(kPassOver);
    else
        *left = wanted - here;
    return here < wanted;
}

Reading Source::Reader::finish() {
    for (const auto& [kind, sentence] : m_out.excesses()) problem(kind, sentence);
    for (const auto& [what, count] : m_out.takeUnread())
        problem("unread " + what, "its " + what + " are not read.");
    return {std::move(m_out.findings()), std::move(m_next)};
}

/// Another machine of the cluster may show a file for a while as it was before: a shorter one was begun anew
/// only when it stays shorter.
bool Source::Reader::isShorterForLong() {
    constexpr const char* kShorterSince = "shorter_since";
    constexpr std::int64_t kLongMs = 60'000;  // as long as NFS by default trusts what it knows of a file
    auto& state = m_next.state;
    if (m_chunk.fileSize >= m_next.offset) {
        state.erase(kShorterSince);
        return false;
    }
    const auto since = state.find(kShorterSince);
    if (since != state.end() && since->is_number())
        return m_chunk.readMs - since->get<std::int64_t>() >= kLongMs;
    state[kShorterSince] = m_chunk.readMs;
    return false;
}

Reading Source::read(const Chunk& chunk, const Cursor& cursor) const {
    Reader reader(chunk, cursor);
    if (reader.isShorterForLong())
        reader.beginAnew(Json{{kAnew, true}});
    else if (!cursor.stopped && chunk.fileSize >= cursor.offset)
        readRecords(reader);
    return reader.finish();
}

}  // namespace dailies::sources
