#include "core/tracking/curve_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace dailies::tracking {

namespace {

static_assert(std::endian::native == std::endian::little, "rows hold the memory of points and buckets");
static_assert(sizeof(MetricPoint) == 24 && std::is_trivially_copyable_v<MetricPoint>);
static_assert(sizeof(CurveBucket) == 88 && std::is_trivially_copyable_v<CurveBucket>);

constexpr std::int64_t kSeal = 64;  // points that are sealed together
constexpr int kFan = 4;             // a bucket of one level is 2^4 of the level below
constexpr int kLevels = 8;          // of buckets: the last one's hold 2^32 points
// the finest level that is read has up to so many times more pieces than are asked for: merging them costs
// little and fills the picture, where the next level might have a 16th
constexpr std::int64_t kMerge = 8;

/// How many items a row holds: what fits into one of SQLite's pages of 4096 bytes.
template <class Item>
constexpr std::int64_t kRowItems = std::is_same_v<Item, MetricPoint> ? 168 : 46;

std::int64_t rowId(std::int64_t curveId, int level, std::int64_t number) {
    return curveId << 32 | std::int64_t{level} << 28 | number;
}

template <class Item>
void appendBlob(std::vector<Item>& into, const SQLite::Column& blob, std::int64_t begin, std::int64_t end) {
    const auto held = static_cast<std::int64_t>(static_cast<std::size_t>(blob.getBytes()) / sizeof(Item));
    end = std::min(end, held);
    if (begin >= end) return;
    const auto before = into.size(), count = static_cast<std::size_t>(end - begin);
    into.resize(before + count);
    std::memcpy(static_cast<void*>(into.data() + before),
                static_cast<const char*>(blob.getBlob()) + static_cast<std::size_t>(begin) * sizeof(Item),
                count * sizeof(Item));
}

template <class Item>
void bindItems(SQLite::Statement& statement, int index, const Item* items, std::size_t count) {
    // a null pointer would be bound as NULL
    static constexpr char kNothing[1] = {};
    statement.bindNoCopy(index, count > 0 ? static_cast<const void*>(items) : kNothing,
                         static_cast<int>(count * sizeof(Item)));
}

/// The complete buckets of a level.
std::int64_t bucketsAt(int level, std::int64_t sealed) {
    return sealed >> (kFan * level);
}

}  // namespace

// -- rows

template <class Item>
void CurveTable::readItems(std::int64_t curveId, int level, std::int64_t begin, std::int64_t end,
                           std::vector<Item>& into) {
    if (begin >= end) return;
    constexpr std::int64_t kEach = kRowItems<Item>;
    into.reserve(into.size() + static_cast<std::size_t>(end - begin));
    const auto rows = m_statements(
        "SELECT row_id, items FROM dailies_curve_rows WHERE row_id BETWEEN ? AND ? ORDER BY row_id",
        rowId(curveId, level, begin / kEach), rowId(curveId, level, (end - 1) / kEach));
    while (rows->executeStep()) {
        const std::int64_t first = (rows->getColumn(0).getInt64() & 0xfff'ffff) * kEach;
        appendBlob(into, rows->getColumn(1), std::max<std::int64_t>(begin - first, 0),
                   std::min(end - first, kEach));
    }
}

template <class Item>
void CurveTable::appendItems(std::int64_t curveId, int level, std::int64_t count,
                             const std::vector<Item>& items) {
    constexpr std::int64_t kEach = kRowItems<Item>;
    std::vector<Item> partial;
    readItems(curveId, level, count / kEach * kEach, count, partial);
    const std::vector<Item>* source = &items;
    if (!partial.empty()) {
        partial.insert(partial.end(), items.begin(), items.end());
        source = &partial;
    }
    for (std::size_t at = 0; at < source->size(); at += kEach) {
        const auto put =
            m_statements("INSERT OR REPLACE INTO dailies_curve_rows (row_id, items) VALUES (?, ?)");
        put->bind(1, rowId(curveId, level, count / kEach + static_cast<std::int64_t>(at) / kEach));
        bindItems(*put, 2, source->data() + at, std::min<std::size_t>(kEach, source->size() - at));
        put->exec();
    }
}

template <class Item>
void CurveTable::truncateItems(std::int64_t curveId, int level, std::int64_t count) {
    constexpr std::int64_t kEach = kRowItems<Item>;
    const std::int64_t keptRows = (count + kEach - 1) / kEach;
    m_statements.run("DELETE FROM dailies_curve_rows WHERE row_id BETWEEN ? AND ?",
                     rowId(curveId, level, keptRows), rowId(curveId, level + 1, 0) - 1);
    if (count % kEach == 0) return;
    m_statements.run("UPDATE dailies_curve_rows SET items = substr(items, 1, ?) WHERE row_id = ?",
                     count % kEach * static_cast<std::int64_t>(sizeof(Item)),
                     rowId(curveId, level, keptRows - 1));
}

// -- heads

std::optional<CurveTable::Head> CurveTable::find(const std::string& runId, const std::string& key) {
    const auto query = m_statements(
        "SELECT curve_id, sealed, tail FROM dailies_curves WHERE run_uuid = ? AND key = ?", runId, key);
    if (!query->executeStep()) return std::nullopt;
    Head head;
    head.id = query->getColumn(0).getInt64();
    head.sealed = query->getColumn(1).getInt64();
    appendBlob(head.tail, query->getColumn(2), 0, kSeal);
    return head;
}

void CurveTable::save(const Head& head) {
    const auto update = m_statements("UPDATE dailies_curves SET sealed = ?, tail = ? WHERE curve_id = ?");
    update->bind(1, head.sealed);
    bindItems(*update, 2, head.tail.data(), head.tail.size());
    update->bind(3, head.id);
    update->exec();
}

// -- points

void CurveTable::append(Head& head, const std::vector<MetricPoint>& points) {
    head.tail.insert(head.tail.end(), points.begin(), points.end());
    const auto ready = static_cast<std::int64_t>(head.tail.size()) / kSeal * kSeal;
    if (ready > 0) {
        const auto middle = head.tail.begin() + ready;
        const std::vector<MetricPoint> sealed(head.tail.begin(), middle);
        appendItems(head.id, 0, head.sealed, sealed);
        const std::int64_t before = head.sealed;
        head.sealed += ready;
        head.tail.erase(head.tail.begin(), middle);

        std::vector<CurveBucket> below, complete;
        for (int level = 1; level <= kLevels; ++level) {
            const std::int64_t first = bucketsAt(level, before), end = bucketsAt(level, head.sealed);
            if (first == end) break;
            complete.clear();
            if (level == 1) {  // 16 divides 64, so these are buckets of the points at hand
                for (std::size_t i = 0; i < sealed.size(); ++i)
                    if (i % (1 << kFan) == 0)
                        complete.push_back(bucketOf(sealed[i]));
                    else
                        extend(complete.back(), sealed[i]);
            } else {
                below.clear();
                readItems(head.id, level - 1, first << kFan, end << kFan, below);
                for (std::size_t i = 0; i < below.size(); ++i)
                    if (i % (1 << kFan) == 0)
                        complete.push_back(below[i]);
                    else
                        extend(complete.back(), below[i]);
            }
            appendItems(head.id, level, first, complete);
        }
    }
    save(head);
}

/// Takes the points from a rank on out of the rows and the tail, and leaves those before it.
std::vector<MetricPoint> CurveTable::takeFrom(Head& head, std::int64_t rank) {
    const std::int64_t kept = std::min(head.sealed, rank / kSeal * kSeal);
    auto taken = pointsBetween(head, kept, head.points());
    if (kept < head.sealed) {
        truncateItems<MetricPoint>(head.id, 0, kept);
        for (int level = 1; level <= kLevels && bucketsAt(level, head.sealed) > 0; ++level)
            truncateItems<CurveBucket>(head.id, level, bucketsAt(level, kept));
    }
    const auto middle = taken.begin() + (rank - kept);
    head.sealed = kept;
    head.tail.assign(taken.begin(), middle);
    taken.erase(taken.begin(), middle);
    save(head);
    return taken;
}

/// The number of points for which `isBefore` holds; it holds for none that follows one for which it does not.
template <class Before>
std::int64_t CurveTable::rankOf(const Head& head, Before&& isBefore) {
    const auto inTail =
        std::partition_point(head.tail.begin(), head.tail.end(), isBefore) - head.tail.begin();
    if (inTail > 0 || head.sealed == 0) return head.sealed + inTail;
    std::int64_t low = 0, high = head.sealed / kSeal;  // in units of kSeal
    while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        const auto last = pointsBetween(head, (middle + 1) * kSeal - 1, (middle + 1) * kSeal);
        if (isBefore(last.front()))
            low = middle + 1;
        else
            high = middle;
    }
    const auto unit = pointsBetween(head, low * kSeal, std::min((low + 1) * kSeal, head.sealed));
    return low * kSeal + (std::partition_point(unit.begin(), unit.end(), isBefore) - unit.begin());
}

void CurveTable::add(const std::string& runId, const std::string& key, std::vector<MetricPoint> points) {
    if (points.empty()) return;
    if (!std::is_sorted(points.begin(), points.end(), isBefore))
        std::sort(points.begin(), points.end(), isBefore);
    auto head = find(runId, key);
    if (!head) {
        m_statements.run("INSERT INTO dailies_curves (run_uuid, key, sealed, tail) VALUES (?, ?, 0, x'')",
                         runId, key);
        head.emplace().id = m_statements.db().getLastInsertRowid();
    }
    const auto first = points.front();
    const std::int64_t rank = rankOf(*head, [&](const MetricPoint& p) { return isBefore(p, first); });
    if (rank < head->points()) {
        const auto later = takeFrom(*head, rank);
        const auto middle = static_cast<std::ptrdiff_t>(points.size());
        points.insert(points.end(), later.begin(), later.end());
        std::inplace_merge(points.begin(), points.begin() + middle, points.end(), isBefore);
    }
    append(*head, points);
}

std::vector<MetricPoint> CurveTable::removeAbove(const std::string& runId, const std::string& key,
                                                 std::int64_t step) {
    auto head = find(runId, key);
    if (!head) return {};
    const std::int64_t rank = rankOf(*head, [&](const MetricPoint& p) { return p.step <= step; });
    if (rank == head->points()) return {};
    auto removed = takeFrom(*head, rank);
    if (rank == 0) m_statements.run("DELETE FROM dailies_curves WHERE curve_id = ?", head->id);
    return removed;
}

void CurveTable::removeRun(const std::string& runId) {
    m_statements.run(
        "DELETE FROM dailies_curve_rows WHERE row_id IN (SELECT r.row_id FROM dailies_curves c JOIN "
        "dailies_curve_rows r ON r.row_id BETWEEN c.curve_id << 32 AND (c.curve_id << 32) + 4294967295 "
        "WHERE c.run_uuid = ?)",
        runId);
    m_statements.run("DELETE FROM dailies_curves WHERE run_uuid = ?", runId);
}

void CurveTable::clear() {
    m_statements.run("DELETE FROM dailies_curve_rows");
    m_statements.run("DELETE FROM dailies_curves");
}

// -- reading

std::vector<MetricPoint> CurveTable::pointsBetween(const Head& head, std::int64_t begin, std::int64_t end) {
    std::vector<MetricPoint> found;
    readItems(head.id, 0, begin, std::min(end, head.sealed), found);
    if (end > head.sealed)
        found.insert(found.end(), head.tail.begin() + std::max<std::int64_t>(begin - head.sealed, 0),
                     head.tail.begin() + (end - head.sealed));
    return found;
}

/// The buckets of a level (≥ 1) that hold the points between two ranks; after the last complete one smaller
/// ones of the levels below, then points. `begin` is where one of them begins.
std::vector<CurveBucket> CurveTable::piecesBetween(const Head& head, int level, std::int64_t begin,
                                                   std::int64_t end) {
    std::vector<CurveBucket> found;
    for (; level >= 1; --level) {
        const int shift = kFan * level;
        const std::int64_t until = std::min(bucketsAt(level, head.sealed), ((end - 1) >> shift) + 1);
        if (begin >> shift >= until) continue;
        readItems(head.id, level, begin >> shift, until, found);
        begin = until << shift;
    }
    if (begin < end)
        for (const auto& point : pointsBetween(head, begin, end)) found.push_back(bucketOf(point));
    return found;
}

std::vector<MetricPoint> CurveTable::points(const std::string& runId, const std::string& key) {
    const auto head = find(runId, key);
    return head ? pointsBetween(*head, 0, head->points()) : std::vector<MetricPoint>();
}

std::optional<MetricPoint> CurveTable::last(const std::string& runId, const std::string& key) {
    const auto head = find(runId, key);
    if (!head || head->points() == 0) return std::nullopt;
    return pointsBetween(*head, head->points() - 1, head->points()).front();
}

std::vector<std::string> CurveTable::keys(const std::string& runId) {
    std::vector<std::string> found;
    const auto query = m_statements("SELECT key FROM dailies_curves WHERE run_uuid = ? ORDER BY key", runId);
    while (query->executeStep()) found.push_back(query->getColumn(0).getString());
    return found;
}

Curve CurveTable::curve(const std::string& runId, const std::string& key, std::optional<StepRange> steps,
                        int atMost) {
    atMost = std::max(atMost, 1);
    const auto head = find(runId, key);
    if (!head) return {.buckets = {}, .points = 0, .exact = true};
    const std::int64_t limit = kMerge * atMost + (2 << kFan);
    const auto finish = [&](Curve curve) {
        curve.points = head->points();
        return curve;
    };

    // from the coarsest level down, each time with what lies in the range (and beside it) alone
    std::int64_t begin = 0, end = head->points();
    int level = 0;
    while (level < kLevels && bucketsAt(level, head->sealed) > (steps ? 256 : limit)) ++level;
    for (; level >= 1; --level) {
        CurveSlice<CurveBucket> slice{piecesBetween(*head, level, begin, end), begin,
                                      std::int64_t{1} << (kFan * level)};
        if (steps) cut(slice, *steps);
        begin = end = slice.rank;
        for (const auto& piece : slice.pieces) end += piece.count;
        if (bucketsAt(level - 1, end - begin) > limit) return finish(grouped(slice, steps, atMost));
    }
    CurveSlice<MetricPoint> slice{pointsBetween(*head, begin, end), begin, 1};
    if (steps) cut(slice, *steps);
    return finish(grouped(slice, steps, atMost));
}

}  // namespace dailies::tracking
