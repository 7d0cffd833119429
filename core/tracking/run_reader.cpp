#include "core/tracking/run_reader.h"

#include "core/tracking/stored_value.h"

#include <sqlite3.h>

#include <future>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace dailies::tracking {

namespace {

/// The rows of a query, read by SQLite's own functions: a table of 5,000 runs has a third of a million rows,
/// and SQLiteCpp's columns share the ownership of their statement, value by value.
class Rows {
public:
    Rows(SQLite::Database& db, const std::string& sql, const std::string& argument = {})
        : m_db(db.getHandle()) {
        check(::sqlite3_prepare_v2(m_db, sql.c_str(), static_cast<int>(sql.size()), &m_rows, nullptr));
        if (!argument.empty())
            check(::sqlite3_bind_text(m_rows, 1, argument.data(), static_cast<int>(argument.size()),
                                      SQLITE_TRANSIENT));
    }
    ~Rows() { ::sqlite3_finalize(m_rows); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    bool next() {
        const int result = ::sqlite3_step(m_rows);
        if (result != SQLITE_ROW && result != SQLITE_DONE) check(result);
        return result == SQLITE_ROW;
    }

    /// Valid until `next`.
    std::string_view text(int column) const {
        const auto* data = reinterpret_cast<const char*>(::sqlite3_column_text(m_rows, column));
        return {data ? data : "", static_cast<std::size_t>(::sqlite3_column_bytes(m_rows, column))};
    }
    std::int64_t integer(int column) const { return ::sqlite3_column_int64(m_rows, column); }
    double real(int column) const { return ::sqlite3_column_double(m_rows, column); }
    bool isNull(int column) const { return ::sqlite3_column_type(m_rows, column) == SQLITE_NULL; }

private:
    void check(int result) const {
        if (result != SQLITE_OK) throw SQLite::Exception(m_db, result);
    }

    sqlite3* m_db;
    sqlite3_stmt* m_rows = nullptr;
};

RunStatus statusFromText(std::string_view text) {
    for (const auto status :
         {RunStatus::Scheduled, RunStatus::Running, RunStatus::Finished, RunStatus::Killed})
        if (text == toText(status)) return status;
    return RunStatus::Failed;
}

/// Runs while the parts that belong to them come in.
class Collection {
public:
    /// `ofAll`: the details are searched in the whole tables, not run by run.
    Collection(SQLite::Database& db, const std::string& where, const std::string& argument, bool ofAll)
        : m_chosen(" FROM runs r JOIN experiments e ON e.experiment_id = r.experiment_id WHERE " + where),
          m_argument(argument),
          m_ofAll(ofAll) {
        Rows rows(db,
                  "SELECT r.run_uuid, r.name, r.experiment_id, e.name, r.status, r.start_time, r.end_time, "
                  "r.lifecycle_stage, r.user_id, r.artifact_uri" +
                      m_chosen + " ORDER BY r.start_time DESC, r.rowid",
                  argument);
        while (rows.next()) {
            Run& run = m_runs.emplace_back();
            run.id = rows.text(0);
            run.name = rows.text(1);
            run.experimentId = rows.integer(2);
            run.experiment = rows.text(3);
            run.status = statusFromText(rows.text(4));
            run.startMs = rows.integer(5);
            if (!rows.isNull(6)) run.endMs = rows.integer(6);
            run.deleted = rows.text(7) != "active";
            run.user = rows.text(8);
            run.artifactUri = rows.text(9);
        }
        m_indexOf.reserve(m_runs.size());
        for (std::size_t i = 0; i < m_runs.size(); ++i) m_indexOf.emplace(m_runs[i].id, i);
    }

    /// Of different tables: may run on two threads at once, each with a connection of its own.
    void addParams(SQLite::Database& db) {
        each(db, "\"key\", value", "params", [](Run& run, const Rows& row) {
            run.params.emplace_hint(run.params.end(), row.text(1), row.text(2));
        });
    }
    void addTags(SQLite::Database& db) {
        each(db, "\"key\", value", "tags", [](Run& run, const Rows& row) {
            run.tags.emplace_hint(run.tags.end(), row.text(1), row.text(2));
        });
    }
    void addMetrics(SQLite::Database& db) {
        each(db, "\"key\", step, timestamp, value, is_nan", "latest_metrics", [](Run& run, const Rows& row) {
            run.metrics.emplace_hint(
                run.metrics.end(), row.text(1),
                MetricPoint{row.integer(2), row.integer(3), fromStored(row.real(4), row.integer(5) != 0)});
        });
    }

    std::vector<Run> take() {
        // MLflow before 1.30 kept the name in a tag alone
        for (Run& run : m_runs)
            if (const auto tag = run.tags.find("mlflow.runName"); run.name.empty() && tag != run.tags.end())
                run.name = tag->second;
        return std::move(m_runs);
    }

private:
    /// Calls `add(run, row)` for each row of a table whose column 0 is run_uuid.
    template <class Add>
    void each(SQLite::Database& db, const std::string& columns, const std::string& table, Add&& add) {
        Rows rows(db,
                  "SELECT run_uuid, " + columns + " FROM " + table +
                      (m_ofAll ? "" : " WHERE run_uuid IN (SELECT r.run_uuid" + m_chosen + ")"),
                  m_ofAll ? std::string() : m_argument);
        std::string_view id;  // rows of one run mostly follow one another
        Run* run = nullptr;
        while (rows.next()) {
            const auto next = rows.text(0);
            if (!run || next != id) {
                const auto found = m_indexOf.find(next);
                if (found == m_indexOf.end()) continue;
                id = found->first;
                run = &m_runs[found->second];
            }
            add(*run, rows);
        }
    }

    std::string m_chosen;
    std::string m_argument;
    bool m_ofAll;
    std::vector<Run> m_runs;
    std::unordered_map<std::string_view, std::size_t> m_indexOf;  // ids as m_runs holds them
};

std::int64_t dataVersion(SQLite::Database& db) {
    return db.execAndGet("PRAGMA data_version").getInt64();
}

/// SQLite takes a transaction's snapshot when it first reads.
void takeSnapshot(SQLite::Database& db) {
    (void)db.execAndGet("SELECT COUNT(*) FROM experiments");
}

}  // namespace

std::vector<Run> readRuns(Database& database, const std::string& where, const std::string& argument) {
    return database.read([&](SQLite::Database& db) {
        Collection runs(db, where, argument, false);
        runs.addParams(db);
        runs.addTags(db);
        runs.addMetrics(db);
        return runs.take();
    });
}

std::vector<Run> readMostRuns(Database& database, Database& helper, const std::string& where) {
    for (;;) {
        const auto before = helper.direct(dataVersion);
        auto found = database.read([&](SQLite::Database& db) -> std::optional<std::vector<Run>> {
            takeSnapshot(db);
            return helper.read([&](SQLite::Database& other) -> std::optional<std::vector<Run>> {
                takeSnapshot(other);
                // somebody wrote in between, so the two do not show the same
                if (dataVersion(other) != before) return std::nullopt;
                Collection runs(db, where, {}, true);
                auto half = std::async(std::launch::async, [&] {
                    runs.addParams(other);
                    runs.addTags(other);
                });
                runs.addMetrics(db);
                half.get();
                return runs.take();
            });
        });
        if (found) return std::move(*found);
    }
}

}  // namespace dailies::tracking
