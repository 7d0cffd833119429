#include "core/alerts/alert_records.h"

#include "core/tracking/database.h"
#include "core/tracking/imported_run.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/run_time.h"

#include <algorithm>
#include <cmath>

namespace dailies::alerts {

namespace {

/// The version of the `dailies_` tables since which there are alerts.
constexpr int kAlertsVersion = 6;

constexpr const char* kLoss = "loss";
constexpr int kPlaces = 40;          ///< of a curve that are looked at
constexpr std::size_t kLately = 10;  ///< of these

double meanLately(const tracking::Curve& curve) {
    double sum = 0, points = 0;
    const auto first = curve.buckets.size() - std::min(curve.buckets.size(), kLately);
    for (std::size_t i = first; i < curve.buckets.size(); ++i) {
        const auto& bucket = curve.buckets[i];
        if (bucket.finite == 0) continue;
        sum += bucket.mean * bucket.finite;
        points += bucket.finite;
    }
    return points > 0 ? sum / points : 0;
}

RunSnapshot factsOf(const tracking::Store& store, const tracking::Run& run) {
    RunSnapshot facts;
    facts.runId = run.id;
    facts.name = run.name;
    facts.running = run.status == tracking::RunStatus::Running;
    facts.finished = run.status == tracking::RunStatus::Finished;
    facts.failed = run.status == tracking::RunStatus::Failed;
    facts.reason = tagOf(run, tracking::tag::kReason);
    facts.startMs = run.startMs;
    facts.endMs = run.endMs.value_or(0);
    facts.tookMs = tracking::trainingMs(run, facts.endMs);
    if (!facts.running) return facts;
    for (const auto& [key, point] : run.metrics) {
        facts.lastStep = std::max(facts.lastStep, point.step);
        facts.lastPointMs = std::max(facts.lastPointMs, point.timestampMs);
    }
    // a run that goes on after a pause was not silent meanwhile: it did not run
    for (const auto& attempt : store.attempts(run.id))
        facts.startMs = std::max(facts.startMs, attempt.startMs);
    if (facts.lastPointMs < facts.startMs) facts.lastPointMs = 0;
    const auto curves = store.curves(
        {{run.id, kLoss}, {run.id, "data_wait"}, {run.id, "time/reduce"}, {run.id, "step_seconds"}},
        std::nullopt, kPlaces);
    const auto& curve = curves.front();
    facts.dataWait = meanLately(curves[1]);
    if (const double step = meanLately(curves[3]); step > 0) facts.rankWait = meanLately(curves[2]) / step;
    for (const auto& bucket : curve.buckets) facts.losses.push_back(bucket.finite > 0 ? bucket.mean : NAN);
    if (!curve.buckets.empty()) {
        // The newest point itself: a bucket's mean would hide a loss that has just become no number.
        if (const auto loss = run.metrics.find(kLoss); loss != run.metrics.end())
            facts.losses.push_back(loss->second.value);
        if (curve.points > 1)
            facts.usualMs =
                (curve.buckets.back().lastMs - curve.buckets.front().firstMs) / (curve.points - 1);
    }
    return facts;
}

/// Runs of ours that ended since alerts are kept and of which nothing was told.
std::vector<std::string> endedUntold(tracking::Store& store) {
    return store.database().read([](SQLite::Database& db) {
        SQLite::Statement query(
            db,
            "SELECT r.run_uuid FROM runs r WHERE r.status IN ('FINISHED', 'FAILED') AND r.lifecycle_stage = "
            "'active' AND r.end_time >= (SELECT MAX(time) FROM dailies_alerts_since) AND NOT EXISTS (SELECT "
            "1 "
            "FROM dailies_alerts a WHERE a.run_uuid = r.run_uuid AND a.kind IN ('finished', 'failed') AND "
            "a.time = r.end_time) AND NOT EXISTS (SELECT 1 FROM tags t WHERE t.run_uuid = r.run_uuid AND "
            "t.key "
            "= ?)");
        query.bind(1, tracking::tag::kImportedFrom);
        std::vector<std::string> ids;
        while (query.executeStep()) ids.push_back(query.getColumn(0).getString());
        return ids;
    });
}

}  // namespace

std::vector<Alert> collectNewAlerts(tracking::Store& store, const Limits& limits, std::int64_t nowMs) {
    std::vector<tracking::Run> runs = store.activeRuns();
    std::erase_if(runs, tracking::isImported);
    for (tracking::Run& run : store.runs(endedUntold(store))) runs.push_back(std::move(run));
    std::vector<Alert> raised;
    for (const tracking::Run& run : runs)
        for (Alert& alert : evaluateRun(factsOf(store, run), limits, nowMs))
            if (raise(store, alert)) raised.push_back(std::move(alert));
    std::ranges::stable_sort(raised, {}, &Alert::timeMs);
    return raised;
}

bool raise(tracking::Store& store, const Alert& alert) {
    return store.database().write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db,
            "INSERT OR IGNORE INTO dailies_alerts (alert_key, kind, run_uuid, title, text, time) "
            "VALUES (?, ?, ?, ?, ?, ?)");
        SQLite::bind(insert, alert.key, std::string(toText(alert.kind)), alert.runId, alert.title, alert.text,
                     alert.timeMs);
        return insert.exec() > 0;
    });
}

bool wasRaised(const tracking::Store& store, const std::string& key) {
    if (!store.hasSchemaVersion(kAlertsVersion)) return false;
    return store.database().read([&](SQLite::Database& db) {
        SQLite::Statement query(db, "SELECT 1 FROM dailies_alerts WHERE alert_key = ?");
        query.bind(1, key);
        return query.executeStep();
    });
}

std::vector<Alert> recent(const tracking::Store& store, int atMost) {
    if (!store.hasSchemaVersion(kAlertsVersion)) return {};
    return store.database().read([&](SQLite::Database& db) {
        SQLite::Statement query(db,
                                "SELECT alert_key, kind, run_uuid, title, text, time, acknowledged FROM "
                                "dailies_alerts WHERE kind <> 'finished' ORDER BY time DESC, alert_id DESC "
                                "LIMIT ?");
        query.bind(1, atMost);
        std::vector<Alert> alerts;
        while (query.executeStep()) {
            Alert& alert = alerts.emplace_back();
            alert.key = query.getColumn(0).getString();
            alert.kind = kindFromText(query.getColumn(1).getString()).value_or(Kind::Failed);
            alert.runId = query.getColumn(2).getString();
            alert.title = query.getColumn(3).getString();
            alert.text = query.getColumn(4).getString();
            alert.timeMs = query.getColumn(5).getInt64();
            alert.acknowledged = query.getColumn(6).getInt() != 0;
        }
        return alerts;
    });
}

void acknowledge(tracking::Store& store, const std::vector<std::string>& keys) {
    store.database().write([&](SQLite::Database& db) {
        SQLite::Statement update(db, "UPDATE dailies_alerts SET acknowledged = 1 WHERE alert_key = ?");
        for (const std::string& key : keys) {
            update.bind(1, key);
            update.exec();
            update.reset();
        }
    });
}

void acknowledgeAll(tracking::Store& store) {
    store.database().write(
        [](SQLite::Database& db) { db.exec("UPDATE dailies_alerts SET acknowledged = 1"); });
}

}  // namespace dailies::alerts
