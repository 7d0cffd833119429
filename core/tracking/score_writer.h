#pragma once

#include "core/events/event.h"
#include "core/tracking/statement_cache.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace dailies::tracking {

/// Writes what scorers say of clips, inside the caller's transaction: `add` for each event, `finish` once,
/// after all other points of the transaction are in their curves. What is said of runs that are not in the
/// store is passed over.
class ScoreWriter {
public:
    explicit ScoreWriter(StatementCache& statements) : m_statements(statements) {}

    void add(const events::Score& score, std::int64_t timeMs);

    /// Renews the metrics that `add` touched: at each step the mean over its clips.
    void finish();

private:
    void insert(const events::Score& score, const std::string& metric, const double* value,
                std::int64_t timeMs);

    StatementCache& m_statements;
    std::set<std::pair<std::string, std::string>> m_touched;  ///< run and metric
};

}  // namespace dailies::tracking
