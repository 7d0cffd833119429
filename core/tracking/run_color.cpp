#include "core/tracking/run_color.h"

#include "core/tracking/run_tags.h"

#include <algorithm>
#include <cstdint>

namespace dailies::tracking {

std::optional<std::size_t> runColorOf(std::string_view name) {
    const auto found = std::find(kRunColors.begin(), kRunColors.end(), name);
    return found == kRunColors.end() ? std::nullopt : std::optional<std::size_t>(found - kRunColors.begin());
}

std::size_t newRunColor(const std::string& runId, const std::vector<std::size_t>& recent) {
    // FNV-1a: the same on every machine and in every session, which std::hash does not promise.
    std::uint32_t hash = 2166136261u;
    for (const unsigned char c : runId) hash = (hash ^ c) * 16777619u;
    const std::size_t own = hash % kRunColors.size();
    for (std::size_t next = 0; next < kRunColors.size(); ++next) {
        const std::size_t color = (own + next) % kRunColors.size();
        if (std::find(recent.begin(), recent.end(), color) == recent.end()) return color;
    }
    return own;
}

std::vector<RunColor> runColors(const std::vector<Run>& runs) {
    std::vector<const Run*> oldestFirst;
    oldestFirst.reserve(runs.size());
    for (const Run& run : runs) oldestFirst.push_back(&run);
    std::sort(oldestFirst.begin(), oldestFirst.end(), [](const Run* a, const Run* b) {
        return a->startMs != b->startMs ? a->startMs < b->startMs : a->id < b->id;
    });
    std::vector<RunColor> colors;
    colors.reserve(runs.size());
    std::vector<std::size_t> recent;
    for (const Run* run : oldestFirst) {
        const auto stored = runColorOf(tagOf(*run, tag::kColor));
        colors.push_back({run->id, stored ? *stored : newRunColor(run->id, recent), stored.has_value()});
        recent.push_back(colors.back().color);
        if (recent.size() > kDistinctColorWindow) recent.erase(recent.begin());
    }
    return colors;
}

}  // namespace dailies::tracking
