#include "core/curation/balance.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".cost";

std::string secondsText(double seconds) {
    return durationText(std::llround(1000 * seconds));
}

}  // namespace

Balance balanceOf(std::vector<FilmCost> costs) {
    std::ranges::sort(costs, {}, &FilmCost::film);
    const auto ofWorker = [](const FilmCost& cost) { return cost.seconds / std::max(1U, cost.threads); };
    std::map<std::string, double> busy;
    for (const auto& cost : costs) busy[cost.worker] += ofWorker(cost);
    Balance balance{.films = costs.size(), .workers = busy.size()};
    if (busy.empty()) return balance;
    const auto [least, most] =
        std::ranges::minmax_element(busy, {}, [](const auto& one) { return one.second; });
    balance.leastBusySeconds = least->second;
    balance.busiestSeconds = most->second;
    for (std::size_t worker = 0; worker < balance.workers; ++worker) {
        double seconds = 0;
        const auto last = (worker + 1) * costs.size() / balance.workers;
        for (auto i = worker * costs.size() / balance.workers; i < last; ++i) seconds += ofWorker(costs[i]);
        balance.equalSharesSeconds = std::max(balance.equalSharesSeconds, seconds);
    }
    return balance;
}

std::string Balance::text() const {
    if (workers < 2) return {};
    std::array<char, 32> ratio{};
    std::snprintf(ratio.data(), ratio.size(), "%.2f", equalSharesSeconds / std::max(busiestSeconds, 1e-9));
    return pluralize(static_cast<long long>(films), "film", "films") + " decoded by " +
           grouped(static_cast<std::int64_t>(workers)) + " tasks: the busiest took " +
           secondsText(busiestSeconds) + ", the least busy " + secondsText(leastBusySeconds) +
           "; equal shares of the films would have taken " + secondsText(equalSharesSeconds) + " (" +
           ratio.data() + " times as long)";
}

void saveCost(const fs::path& shared, const std::string& id, const FilmCost& cost) {
    const Json json = {
        {"film", cost.film}, {"worker", cost.worker}, {"seconds", cost.seconds}, {"threads", cost.threads}};
    writeFileAtomically(shared / (id + kEnding), json.dump());
}

std::vector<FilmCost> loadCosts(const fs::path& shared) {
    std::vector<FilmCost> costs;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(shared, missing)) {
        if (entry.path().extension() != kEnding) continue;
        const auto json = parseJson(readFile(entry.path()), entry.path().string());
        costs.push_back({json.at("film"), json.at("worker"), json.at("seconds"), json.at("threads")});
    }
    return costs;
}

}  // namespace dailies::curation
