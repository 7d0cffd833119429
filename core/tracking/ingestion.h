#pragma once

#include "core/events/event.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace dailies::tracking {

/// Applies the events of one run inside the caller's transaction: `apply` for each, in the order of the file,
/// then `finish` once. The statements are prepared on construction and live as long as the batch.
class Ingestion {
public:
    Ingestion(SQLite::Database& db, std::string runId);

    void apply(const events::Event& event);

    /// Writes what was gathered over the batch (latest_metrics) and how far the file has been read.
    void finish(std::int64_t newOffset);

private:
    struct Latest {
        std::int64_t step = 0;
        std::int64_t timestampMs = 0;
        double value = 0;  ///< as stored
        int isNan = 0;
    };

    void on(const events::Start& start);
    void on(const events::Resume& resume);
    void on(const events::Metrics& metrics);
    void on(const events::Clip& clip);
    void on(const events::Checkpoint& checkpoint);
    void on(const events::Health& health);
    void on(const events::Message& message);
    void on(const events::End& end);

    void restartFrom(std::int64_t step);  ///< -1: anew
    void retractAbove(std::int64_t step);
    void flushLatest();
    void addMessage(const std::string& level, const std::string& text);

    SQLite::Database& m_db;
    std::string m_runId;
    std::int64_t m_lastSeq = 0;
    std::int64_t m_settledAttempt = 0;  ///< the newest of which it is known from which step it went on
    std::int64_t m_attempt = 0;         ///< of the event being applied
    std::int64_t m_timeMs = 0;          ///< of the event being applied
    SQLite::Statement m_insertPoint;
    SQLite::Statement m_upsertClip;
    SQLite::Statement m_upsertCheckpoint;
    SQLite::Statement m_insertMessage;
    std::unordered_map<std::string, Latest>
        m_latest;  ///< of this batch: written once a key, not once a point
};

}  // namespace dailies::tracking
