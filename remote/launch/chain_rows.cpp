#include "remote/launch/chain_rows.h"

#include "core/base/clock.h"
#include "core/base/counts.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "remote/launch/price.h"
#include "remote/program/program.h"

#include <cmath>

namespace dailies::remote {

namespace {

/// Of the flattened config of dailies-train; empty of another program's.
std::string valueAt(const Json& keys, const char* key) {
    return keys.contains(key) && keys.at(key).is_number() ? keys.at(key).dump() : std::string();
}

std::string clipsText(const Json& keys) {
    std::vector<std::string> sizes;
    for (const auto* key : {"data.frames", "data.height", "data.width"})
        if (auto size = valueAt(keys, key); !size.empty()) sizes.push_back(std::move(size));
    return join(sizes, " × ");
}

std::string layoutText(const sweep::Resources& r) {
    const auto processes = r.gpusPerNode > 0 ? pluralize(r.gpusPerNode, "GPU", "GPUs")
                                             : pluralize(r.ranksPerNode, "process", "processes");
    return pluralize(r.nodes, "node", "nodes") + " × " + processes;
}

}  // namespace

std::vector<std::string> ChainRow::cells() const {
    return {name, steps, clips, batch, layout, time, hours, price, end};
}

std::vector<ChainRow> chainRows(std::span<const AssessedLaunch> chain, const ClusterProfile& profile,
                                std::int64_t now) {
    std::vector<ChainRow> rows;
    double seconds = 0;
    bool known = true;
    for (const auto& [plan, forecast, memory, findings] : chain) {
        const auto& config = plan.runs.front().config;
        const auto keys = config::flatten(config);
        auto& row = rows.emplace_back();
        row.name = plan.sweep.name;
        row.layout = layoutText(plan.sweep.resources);
        row.clips = clipsText(keys);
        row.batch = valueAt(keys, "data.batch_size");
        if (const auto steps = programOf(plan.sweep).plannedSteps(config))
            row.steps = grouped(forecast.stepsBefore) + " → " + grouped(*steps);
        known = known && forecast.known;
        seconds += forecast.seconds;
        if (!forecast.known) continue;
        row.time = durationText(std::llround(forecast.seconds * 1000));
        row.hours = forecast.gpuHours > 0 ? hoursText(forecast.gpuHours) + " GPU"
                                          : hoursText(forecast.cpuHours) + " CPU";
        row.price = priceText(forecast, profile);
        if (known) row.end = clockText(now + std::llround(seconds), now);
    }
    return rows;
}

}  // namespace dailies::remote
