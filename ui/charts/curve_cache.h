#pragma once

#include "core/tracking/store.h"
#include "ui/bridge/run_async.h"

#include <QObject>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dailies::ui {

/// One curve as it was read. Never changed once made.
struct History {
    std::vector<tracking::MetricPoint> points;   ///< all of them, when they are few enough
    std::vector<tracking::CurveBucket> buckets;  ///< else what the store's pyramid holds
    std::optional<tracking::StepRange> steps;    ///< which part was asked for; nullopt: all
    bool exact() const { return buckets.empty(); }
    std::size_t bytes() const;
};
using HistoryPtr = std::shared_ptr<const History>;

/// What is known of a curve: all of it coarsely, and a part finely where a chart has zoomed in.
struct CurveSource {
    HistoryPtr overview, detail;
    bool operator==(const CurveSource&) const = default;
};

/// What happened to a run on its way, for the ticks below its curves.
struct RunEvents {
    std::vector<tracking::Restart> restarts;
    std::vector<tracking::CheckpointRecord> checkpoints;
};
using RunEventsPtr = std::shared_ptr<const RunEvents>;

/// What a chart needs: these runs' curves of one metric in that many columns.
struct CurveRequest {
    std::vector<std::string> runIds;
    std::string key;
    std::optional<tracking::StepRange> steps;  ///< the part that is on the screen; nullopt: all
    int columns = 0;
};

/// The curves of the charts on the screen, read from the store off the GUI thread: first all of each
/// coarsely, then, where that is less than the screen can show, the visible part finely. Only what some chart
/// wants is read, and after a change only the runs that changed. What no chart wants any more stays until all
/// together exceed the budget; then the longest unwanted goes first. GUI thread.
class CurveCache : public QObject {
    Q_OBJECT

public:
    explicit CurveCache(std::filesystem::path storeFile, QObject* parent = nullptr);

    static constexpr std::size_t kBudget = std::size_t{256} << 20;  ///< bytes from which on the unwanted go

    /// What this chart wants from now on instead of what it wanted; {} when it is not on the screen.
    void requestCurves(const QObject* chart, std::vector<CurveRequest> needs);
    /// What is known now, perhaps out of date; `changed` when there is more.
    CurveSource get(const std::string& runId, const std::string& key) const;
    RunEventsPtr events(const std::string& runId) const;  ///< null: not read yet

    /// These runs have new points.
    void invalidate(const std::vector<std::string>& runIds);
    void invalidateAll();
    bool isSettled() const { return m_reading == 0 && !m_planned; }
    const std::filesystem::path& file() const { return m_file; }
    std::size_t bytes() const { return m_bytes; }

signals:
    /// These metrics have new curves.
    void changed(const std::set<std::string>& keys);
    void failed(const dailies::Error& error);

private:
    using Id = std::pair<std::string, std::string>;  ///< run, metric
    struct Entry {
        CurveSource source;
        bool overviewStale = true, detailStale = true;
        bool overviewBeingRead = false, detailBeingRead = false;
        int detailColumns = 0;  ///< what the detail was read for
        std::uint64_t wanted = 0;
        std::size_t bytes = 0;
    };
    struct Batch {
        std::vector<tracking::CurveKey> keys;
        std::optional<tracking::StepRange> steps;
        int atMost = 0;
        int columns = 0;
        bool detail = false;
        std::vector<std::string> eventsOf;
    };

    void plan();
    std::optional<Batch> nextBatch();
    bool needsDetail(const Entry& entry, const CurveRequest& need) const;
    void read(Batch batch);
    void take(const Batch& batch, std::vector<HistoryPtr> histories,
              std::vector<std::pair<std::string, RunEventsPtr>> events);
    void evict();

    std::filesystem::path m_file;
    std::map<Id, Entry> m_entries;
    std::map<std::string, RunEventsPtr> m_events;
    std::set<std::string> m_eventsStale, m_eventsBeingRead;
    std::map<const QObject*, std::vector<CurveRequest>> m_requests;
    std::uint64_t m_clock = 0;
    std::size_t m_bytes = 0;
    int m_reading = 0;
    bool m_planned = false;  ///< a turn of the event loop later: many charts ask at once
    bool m_broken = false;   ///< the store could not be read; not again before something changes
};

}  // namespace dailies::ui
