#include "core/compare/best_points.h"

#include "core/base/error.h"

namespace dailies::compare {

BestPoints bestPoints(const tracking::Store& store, const std::vector<std::string>& runIds,
                      const Goals& goals, const std::stop_token& stop) {
    BestPoints best;
    for (const std::string& id : runIds) {
        for (const std::string& key : store.metricKeys({id})) {
            if (stop.stop_requested()) throw Cancelled();
            const Direction direction = directionOf(key, goals);
            const tracking::MetricPoint* top = nullptr;
            const auto history = store.history(id, key);
            for (const auto& point : history)
                if (!top || isBetter(point.value, top->value, direction)) top = &point;
            if (top) best.emplace(std::pair(id, key), *top);
        }
    }
    return best;
}

}  // namespace dailies::compare
