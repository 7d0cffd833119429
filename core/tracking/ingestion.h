#pragma once

#include "core/events/event.h"
#include "core/tracking/point_writer.h"
#include "core/tracking/score_writer.h"
#include "core/tracking/statement_cache.h"

#include <cstdint>
#include <set>
#include <string>

namespace dailies::tracking {

/// Applies the events of one run inside the caller's transaction: `apply` for each, in the order of the file,
/// then `finish` once.
class Ingestion {
public:
    Ingestion(StatementCache& statements, std::string runId);

    void apply(const events::Event& event);

    /// Writes what was gathered over the batch (latest_metrics, curves) and how far the file has been read.
    void finish(std::int64_t newOffset);

private:
    void on(const events::Start& start);
    void on(const events::Resume& resume);
    void on(const events::Certificate& certificate);
    void on(const events::Metrics& metrics);
    void on(const events::Clip& clip);
    void on(const events::Score& score);
    void on(const events::Checkpoint& checkpoint);
    void on(const events::Health& health);
    void on(const events::Message& message);
    void on(const events::End& end);

    void restartFrom(std::int64_t step);  ///< -1: anew
    void retractAbove(std::int64_t step);
    void addMessage(const std::string& level, const std::string& text);

    StatementCache& m_statements;
    PointWriter m_points;
    ScoreWriter m_scores;
    std::string m_runId;
    std::int64_t m_lastSeq = 0;
    std::int64_t m_settledAttempt = 0;  ///< the newest of which it is known from which step it went on
    std::int64_t m_attempt = 0;         ///< of the event being applied
    std::int64_t m_timeMs = 0;          ///< of the event being applied
    std::set<std::string> m_ownKeys;    ///< of this batch, noted in dailies_metric_keys
};

}  // namespace dailies::tracking
