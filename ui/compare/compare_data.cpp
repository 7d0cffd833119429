#include "ui/compare/compare_data.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "ui/run_details/run_facts.h"

#include <algorithm>

namespace dailies::ui {

CompareData loadCompare(const tracking::Store& store, const std::vector<std::string>& runIds,
                        const std::stop_token& stop) {
    CompareData data;
    for (const std::string& id : runIds) {
        if (stop.stop_requested()) throw Cancelled();
        auto run = store.run(id);
        if (!run || run->deleted) {
            data.gone.push_back(id);
            continue;
        }
        data.attempts[id] = store.attempts(id);
        data.runs.push_back(std::make_shared<const tracking::Run>(std::move(*run)));
    }
    data.goals = compare::goalsOf(store.sweeps());
    return data;
}

compare::Comparison makeComparison(const CompareData& data, const compare::BestPoints& best,
                                   const std::string& reference, const std::string& connectedTo) {
    compare::ComparisonInput subject{.attempts = data.attempts, .best = best, .goals = data.goals};
    const std::int64_t now = unixMillis();
    for (std::size_t i = 0; i < data.runs.size(); ++i) {
        const tracking::Run& run = *data.runs[i];
        subject.runs.push_back(&run);
        if (run.id == reference) subject.reference = i;
        if (isActive(run.status))
            subject.activeUntilMs[run.id] =
                mayBeStale(run, connectedTo) ? lastSeenMs(run, data.attempts.at(run.id)) : now;
    }
    return compare::compareRuns(subject);
}

}  // namespace dailies::ui
