#include "core/tracking/run_reader.h"

#include "core/tracking/keyed_values_builder.h"
#include "core/tracking/row_scan.h"
#include "core/tracking/stored_value.h"

#include <algorithm>
#include <future>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace dailies::tracking {

namespace {

constexpr std::int64_t kSlurmsSecond = 1000;  ///< Slurm tells times in whole seconds

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
        : m_chosen("runs r JOIN experiments e ON e.experiment_id = r.experiment_id WHERE " + where),
          m_argument(argument),
          m_ofAll(ofAll) {
        SQLite::Statement rows(
            db,
            "SELECT r.run_uuid, r.name, r.experiment_id, e.name, r.status, r.start_time, r.end_time, "
            "r.lifecycle_stage, r.user_id, r.artifact_uri FROM " +
                m_chosen + " ORDER BY r.start_time DESC, r.rowid");
        if (!argument.empty()) rows.bind(1, argument);
        const auto text = [&](int column) { return rows.getColumn(column).getString(); };
        while (rows.executeStep()) {
            Run& run = m_runs.emplace_back();
            run.id = text(0);
            run.name = text(1);
            run.experimentId = rows.getColumn(2).getInt64();
            run.experiment = text(3);
            run.status = statusFromText(text(4));
            run.startMs = rows.getColumn(5).getInt64();
            if (!rows.isColumnNull(6)) run.endMs = rows.getColumn(6).getInt64();
            run.deleted = text(7) != "active";
            run.user = text(8);
            run.artifactUri = text(9);
        }
        m_indexOf.reserve(m_runs.size());
        for (std::size_t i = 0; i < m_runs.size(); ++i) m_indexOf.emplace(m_runs[i].id, i);
    }

    // Of different tables: may run on two threads at once, each with a connection of its own.
    void addParams(SQLite::Database& db) { addTexts(db, "params", &Run::params); }
    void addTags(SQLite::Database& db) { addTexts(db, "tags", &Run::tags); }
    void addMetrics(SQLite::Database& db) {
        add(db, "latest_metrics", "step, timestamp, value, is_nan", &Run::metrics, [](const ScannedRow& row) {
            return MetricPoint{row.integer(2), row.integer(3), fromStored(row.real(4), row.integer(5) != 0)};
        });
    }

    /// What lies between the attempts of runs that had several.
    void addPauses(SQLite::Database& db) {
        if (!db.tableExists("dailies_attempts")) return;  // a file of MLflow's own
        SQLite::Statement rows(
            db, "SELECT run_uuid, start_time, end_time FROM dailies_attempts WHERE start_time > 0" +
                    (m_ofAll ? std::string() : " AND run_uuid IN (SELECT r.run_uuid FROM " + m_chosen + ")") +
                    " ORDER BY run_uuid, start_time, restarts");
        if (!m_ofAll && !m_argument.empty()) rows.bind(1, m_argument);
        std::vector<std::int64_t> ends(m_runs.size(), 0);  // of the attempt before; 0: none, or not known
        while (rows.executeStep()) {
            const auto found = m_indexOf.find(rows.getColumn(0).getString());
            if (found == m_indexOf.end()) continue;
            std::int64_t& end = ends[found->second];
            const std::int64_t start = rows.getColumn(1).getInt64();
            if (end > 0) m_runs[found->second].pausedMs += std::max<std::int64_t>(0, start - end);
            end = rows.getColumn(2).getInt64();
        }
        for (std::size_t i = 0; i < m_runs.size(); ++i) {
            Run& run = m_runs[i];
            if (ends[i] == 0) continue;
            if (run.status == RunStatus::Scheduled)
                run.pausedSinceMs = ends[i];
            else if (run.endMs && *run.endMs - ends[i] > kSlurmsSecond)
                run.pausedMs += *run.endMs - ends[i];  // its next job was cancelled before it began
        }
    }

    std::vector<Run> take() {
        for (Run& run : m_runs) {
            // MLflow before 1.30 kept the name in a tag alone
            if (const auto tag = run.tags.find("mlflow.runName"); run.name.empty() && tag != run.tags.end())
                run.name = tag->second;
            // and Dailies once kept there alone how far a run was let train on
            if (const auto steps = run.tags.find(tag::kExtendedTo); steps != run.tags.end())
                run.params["steps"] = steps->second;
        }
        return std::move(m_runs);
    }

private:
    void addTexts(SQLite::Database& db, const std::string& table, KeyedValues<std::string> Run::*to) {
        add(db, table, "value", to, [](const ScannedRow& row) { return row.text(2); });
    }

    /// Gives the runs their values of a table; columns 0 and 1 are run_uuid and key, `value` reads the
    /// others.
    template <class Value, class Read>
    void add(SQLite::Database& db, const std::string& table, const std::string& columns,
             KeyedValues<Value> Run::*to, Read value) {
        KeyedValuesBuilder<Value> gathering(m_runs.size());
        std::string_view id;  // rows of one run mostly follow one another
        std::optional<std::size_t> run;
        scanRows(db, "run_uuid, \"key\", " + columns,
                 table + (m_ofAll ? "" : " WHERE run_uuid IN (SELECT r.run_uuid FROM " + m_chosen + ")"),
                 m_ofAll ? std::string() : m_argument, [&](const ScannedRow& row) {
                     if (const auto next = row.text(0); !run || next != id) {
                         const auto found = m_indexOf.find(next);
                         if (found == m_indexOf.end()) return;
                         id = found->first;
                         run = found->second;
                     }
                     gathering.add(*run, row.text(1), value(row));
                 });
        for (std::size_t i = 0; i < m_runs.size(); ++i) m_runs[i].*to = gathering.take(i);
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
        runs.addPauses(db);
        return runs.take();
    });
}

std::vector<Run> readMostRuns(Database& database, Database& helper, const std::string& where) {
    for (;;) {
        const auto before = helper.withoutTransaction(dataVersion);
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
                runs.addPauses(db);
                half.get();
                return runs.take();
            });
        });
        if (found) return std::move(*found);
    }
}

}  // namespace dailies::tracking
