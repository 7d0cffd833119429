#include "core/tracking/curve_sync.h"

#include "core/tracking/stored_value.h"

#include <functional>
#include <string_view>

namespace dailies::tracking {

namespace {

constexpr std::int64_t kReadableBeside = 1'000'000;  // rows, of which a reading takes those of its runs
constexpr std::int64_t kRowsAtOnce = 4'000'000;      // about 100 MB while they are gathered
constexpr std::int64_t kRowsBetweenLooks = 65'536;   // at the clock of progress and the stop token

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
template <class Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

std::string_view textOf(const SQLite::Column& column) {
    const char* text = column.getText();  // before its length: SQLite may convert
    return {text, static_cast<std::size_t>(column.getBytes())};
}

/// The value of a text, made when there is none.
template <class Value>
Value& at(ByText<Value>& values, std::string_view text) {
    const auto found = values.find(text);
    return found != values.end() ? found->second : values.try_emplace(std::string(text)).first->second;
}

/// Gathers the points by curve, since they come in the order in which all runs were written.
class Gatherer {
public:
    explicit Gatherer(StatementCache& curves) : m_table(curves) {}

    void add(std::string_view runId, std::string_view key, const MetricPoint& point) {
        if (!m_run || m_runId != runId) {  // rows of one run mostly follow one another
            m_runId = runId;
            m_run = &at(m_runs, runId);
        }
        at(*m_run, key).push_back(point);
    }

    void write() {
        for (auto& [runId, keys] : m_runs)
            for (auto& [key, points] : keys) m_table.add(runId, key, std::move(points));
    }

private:
    CurveTable m_table;
    ByText<ByText<std::vector<MetricPoint>>> m_runs;
    ByText<std::vector<MetricPoint>>* m_run = nullptr;
    std::string m_runId;
};

MetricPoint pointOf(const SQLite::Statement& row, int step) {
    return {row.getColumn(step).getInt64(), row.getColumn(step + 1).getInt64(),
            fromStored(row.getColumn(step + 2).getDouble(), row.getColumn(step + 3).getInt() != 0)};
}

}  // namespace

CurveSync::Seen CurveSync::seen() {
    const auto row = m_curves("SELECT seen, run_uuid, key, step, timestamp FROM dailies_curves_seen");
    if (!row->executeStep()) return {};
    return {row->getColumn(0).getInt64(), row->getColumn(1).getString(), row->getColumn(2).getString(),
            row->getColumn(3).getInt64(), row->getColumn(4).getInt64()};
}

CurveSync::Seen CurveSync::pointAt(std::int64_t at) {
    const auto row = m_metrics("SELECT run_uuid, \"key\", step, timestamp FROM metrics WHERE rowid = ?", at);
    if (!row->executeStep()) return {};
    return {at, row->getColumn(0).getString(), row->getColumn(1).getString(), row->getColumn(2).getInt64(),
            row->getColumn(3).getInt64()};
}

std::int64_t CurveSync::lastRow() {
    const auto row = m_metrics("SELECT MAX(rowid) FROM metrics");
    return row->executeStep() ? row->getColumn(0).getInt64() : 0;
}

bool CurveSync::isUsable() {
    const Seen known = seen();
    return lastRow() - known.row <= kReadableBeside && known == pointAt(known.row);
}

bool CurveSync::isComplete() {
    const Seen known = seen();
    return known.row == lastRow() && known == pointAt(known.row);
}

void CurveSync::markComplete() {
    markSeen(lastRow());
}

void CurveSync::markSeen(std::int64_t row) {
    const Seen now = pointAt(row);
    m_curves.run("UPDATE dailies_curves_seen SET seen = ?, run_uuid = ?, key = ?, step = ?, timestamp = ?",
                 now.row, now.runId, now.key, now.step, now.timestampMs);
}

bool CurveSync::catchUp(const std::stop_token& stop, const CurveProgress& progress) {
    Seen known = seen();
    const std::int64_t last = lastRow();
    if (known != pointAt(known.row)) {
        CurveTable(m_curves).clear();
        known = {};
        markSeen(0);
    }
    if (known.row == last) return true;
    Gatherer gatherer(m_curves);
    std::int64_t row = known.row;
    {
        const auto rows = m_metrics(
            "SELECT rowid, run_uuid, \"key\", step, timestamp, value, is_nan FROM metrics WHERE rowid > ? "
            "ORDER BY rowid",
            known.row);
        for (std::int64_t read = 0; read < kRowsAtOnce && rows->executeStep(); ++read) {
            row = rows->getColumn(0).getInt64();
            gatherer.add(textOf(rows->getColumn(1)), textOf(rows->getColumn(2)), pointOf(*rows, 3));
            if (read % kRowsBetweenLooks != 0) continue;
            if (stop.stop_requested()) break;
            if (progress) progress(row, last);
        }
    }
    gatherer.write();
    markSeen(row);
    return row == last;
}

std::unordered_map<std::string, std::vector<MetricPoint>> CurveSync::missingOf(const std::string& runId) {
    std::unordered_map<std::string, std::vector<MetricPoint>> found;
    const auto rows = m_metrics(
        "SELECT \"key\", step, timestamp, value, is_nan FROM metrics WHERE rowid > ? AND run_uuid = ?",
        seen().row, runId);
    while (rows->executeStep()) found[rows->getColumn(0).getString()].push_back(pointOf(*rows, 1));
    return found;
}

}  // namespace dailies::tracking
