#include "ui/charts/curve_cache.h"

#include "ui/bridge/read_store.h"

#include <QTimer>

#include <algorithm>
#include <limits>

namespace dailies::ui {

namespace {

constexpr int kOverview = 2000;     ///< segments at most: about what the widest screen has columns
constexpr int kFiner = 16;          ///< between two levels of the store's pyramid
constexpr std::size_t kBatch = 48;  ///< curves a read: the first are on the screen while the next are read
constexpr int kReaders = 2;

bool within(const tracking::StepRange& inner, const std::optional<tracking::StepRange>& outer) {
    return !outer || (inner.first >= outer->first && inner.last <= outer->last);
}

/// Half a window more on both sides, so that panning has something to show before it has been read.
tracking::StepRange widened(const tracking::StepRange& steps) {
    const std::int64_t half = (steps.last - steps.first) / 2 + 1;
    return {steps.first - half, steps.last + half};
}

HistoryPtr toHistory(tracking::Curve curve, std::optional<tracking::StepRange> steps) {
    auto history = std::make_shared<History>();
    history->steps = steps;
    if (curve.exact || curve.buckets.empty()) {
        history->points.reserve(curve.buckets.size());
        for (const auto& bucket : curve.buckets) {
            double value = bucket.first;
            if (bucket.marks & tracking::CurveBucket::kPlusInfinity) {
                value = std::numeric_limits<double>::infinity();
            } else if (bucket.marks & tracking::CurveBucket::kMinusInfinity) {
                value = -std::numeric_limits<double>::infinity();
            }
            history->points.push_back({bucket.firstStep, bucket.firstMs, value});
        }
    } else {
        history->buckets = std::move(curve.buckets);
    }
    return history;
}

}  // namespace

std::size_t History::bytes() const {
    return sizeof(History) + points.capacity() * sizeof(points.front()) +
           buckets.capacity() * sizeof(buckets.front());
}

CurveCache::CurveCache(std::filesystem::path storeFile, QObject* parent)
    : QObject(parent), m_file(std::move(storeFile)) {}

CurveSource CurveCache::get(const std::string& runId, const std::string& key) const {
    const auto found = m_entries.find({runId, key});
    return found == m_entries.end() ? CurveSource{} : found->second.source;
}

RunEventsPtr CurveCache::events(const std::string& runId) const {
    const auto found = m_events.find(runId);
    return found == m_events.end() ? nullptr : found->second;
}

void CurveCache::requestCurves(const QObject* chart, std::vector<CurveRequest> needs) {
    if (!m_requests.contains(chart)) {
        connect(chart, &QObject::destroyed, this, [this, chart] { m_requests.erase(chart); });
    }
    ++m_clock;
    for (const auto& need : needs) {
        for (const auto& run : need.runIds) {
            m_entries[{run, need.key}].wanted = m_clock;
            if (!m_events.contains(run)) {
                m_eventsStale.insert(run);
            }
        }
    }
    m_requests[chart] = std::move(needs);
    plan();
}

void CurveCache::invalidate(const std::vector<std::string>& runIds) {
    for (const auto& run : runIds) {
        for (auto at = m_entries.lower_bound({run, {}}); at != m_entries.end() && at->first.first == run;
             ++at) {
            at->second.overviewStale = at->second.detailStale = true;
        }
        if (m_events.contains(run)) {
            m_eventsStale.insert(run);
        }
    }
    plan();
}

void CurveCache::invalidateAll() {
    for (auto& [id, entry] : m_entries) {
        entry.overviewStale = entry.detailStale = true;
    }
    for (const auto& [run, events] : m_events) {
        m_eventsStale.insert(run);
    }
    plan();
}

void CurveCache::plan() {
    m_broken = false;
    if (std::exchange(m_planned, true)) {
        return;
    }
    QTimer::singleShot(0, this, [this] {
        m_planned = false;
        while (m_reading < kReaders && !m_broken) {
            auto batch = nextBatch();
            if (!batch) {
                break;
            }
            read(std::move(*batch));
        }
    });
}

bool CurveCache::needsDetail(const Entry& entry, const CurveRequest& need) const {
    const History* overview = entry.source.overview.get();
    if (!overview || overview->exact() || entry.detailBeingRead || need.columns <= 0) {
        return false;
    }
    const auto& buckets = overview->buckets;
    const tracking::StepRange steps =
        need.steps.value_or(tracking::StepRange{buckets.front().firstStep, buckets.back().lastStep});
    const auto begin = std::partition_point(buckets.begin(), buckets.end(),
                                            [&](const auto& b) { return b.lastStep < steps.first; });
    const auto end =
        std::partition_point(begin, buckets.end(), [&](const auto& b) { return b.firstStep <= steps.last; });
    if (end - begin >= need.columns) {
        return false;
    }
    const History* detail = entry.source.detail.get();
    if (!detail || entry.detailStale || !within(steps, detail->steps)) {
        return true;
    }
    const bool fine =
        entry.detailColumns >= need.columns &&
        (detail->steps ? detail->steps->last - detail->steps->first <= 4 * (steps.last - steps.first + 2)
                       : !need.steps);
    return !detail->exact() && !fine;
}

std::optional<CurveCache::Batch> CurveCache::nextBatch() {
    Batch batch;
    for (const auto& [chart, needs] : m_requests) {
        for (const auto& need : needs) {
            for (const auto& run : need.runIds) {
                Entry& entry = m_entries[{run, need.key}];
                if (entry.overviewStale && !entry.overviewBeingRead && batch.keys.size() < kBatch) {
                    entry.overviewStale = false;  // points that come during the read make it stale again
                    entry.overviewBeingRead = true;
                    batch.keys.push_back({run, need.key});
                    if (m_eventsStale.contains(run) && m_eventsBeingRead.insert(run).second) {
                        m_eventsStale.erase(run);
                        batch.eventsOf.push_back(run);
                    }
                }
            }
        }
    }
    if (!batch.keys.empty()) {
        batch.atMost = kOverview;
        return batch;
    }
    for (const auto& [chart, needs] : m_requests) {
        for (const auto& need : needs) {
            for (const auto& run : need.runIds) {
                Entry& entry = m_entries[{run, need.key}];
                if (batch.keys.size() < kBatch && needsDetail(entry, need)) {
                    entry.detailStale = false;
                    entry.detailBeingRead = true;
                    batch.keys.push_back({run, need.key});
                }
            }
            if (!batch.keys.empty()) {
                batch.detail = true;
                batch.columns = need.columns;
                batch.atMost = need.columns * kFiner;
                if (need.steps) {
                    batch.steps = widened(*need.steps);
                    batch.atMost *= 2;
                }
                return batch;
            }
        }
    }
    return std::nullopt;
}

void CurveCache::read(Batch batch) {
    ++m_reading;
    struct Read {
        std::vector<HistoryPtr> histories;
        std::vector<std::pair<std::string, RunEventsPtr>> events;
    };
    readStore(
        this, m_file,
        [batch](const tracking::Store& store, std::stop_token) {
            Read result;
            for (auto& curve : store.curves(batch.keys, batch.steps, batch.atMost)) {
                result.histories.push_back(toHistory(std::move(curve), batch.steps));
            }
            for (const auto& run : batch.eventsOf) {
                result.events.emplace_back(
                    run, std::make_shared<const RunEvents>(store.restarts(run), store.checkpoints(run)));
            }
            return result;
        },
        [this, batch](Read result) {
            --m_reading;
            take(batch, std::move(result.histories), std::move(result.events));
            plan();
        },
        [this, batch](const Error& error) {
            --m_reading;
            take(batch, {}, {});
            m_broken = true;
            emit failed(error);
        });
}

void CurveCache::take(const Batch& batch, std::vector<HistoryPtr> histories,
                      std::vector<std::pair<std::string, RunEventsPtr>> events) {
    std::set<std::string> keys;
    histories.resize(batch.keys.size());  // empty when there is no store yet
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
        Entry& entry = m_entries[{batch.keys[i].runId, batch.keys[i].key}];
        (batch.detail ? entry.detailBeingRead : entry.overviewBeingRead) = false;
        if (!histories[i]) {
            continue;
        }
        keys.insert(batch.keys[i].key);
        if (batch.detail) {
            entry.source.detail = std::move(histories[i]);
            entry.detailColumns = batch.columns;
        } else {
            entry.source.overview = std::move(histories[i]);
            if (entry.source.overview->exact()) {
                entry.source.detail = nullptr;
            }
        }
        m_bytes -= entry.bytes;
        entry.bytes = (entry.source.overview ? entry.source.overview->bytes() : 0) +
                      (entry.source.detail ? entry.source.detail->bytes() : 0);
        m_bytes += entry.bytes;
    }
    for (const auto& run : batch.eventsOf) {
        m_eventsBeingRead.erase(run);
    }
    for (auto& [run, happened] : events) {
        m_events[run] = std::move(happened);
    }
    evict();
    if (!keys.empty()) {
        emit changed(keys);
    }
}

void CurveCache::evict() {
    if (m_bytes <= kBudget) {
        return;
    }
    std::set<Id> wanted;
    for (const auto& [chart, needs] : m_requests) {
        for (const auto& need : needs) {
            for (const auto& run : need.runIds) {
                wanted.emplace(run, need.key);
            }
        }
    }
    std::vector<std::pair<std::uint64_t, Id>> candidates;
    for (const auto& [id, entry] : m_entries) {
        if (!wanted.contains(id) && entry.bytes > 0 && !entry.overviewBeingRead && !entry.detailBeingRead) {
            candidates.emplace_back(entry.wanted, id);
        }
    }
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [when, id] : candidates) {
        if (m_bytes <= kBudget) {
            break;
        }
        m_bytes -= m_entries.at(id).bytes;
        m_entries.erase(id);
    }
}

}  // namespace dailies::ui
