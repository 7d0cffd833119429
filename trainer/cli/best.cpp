#include "core/base/error.h"
#include "core/base/files.h"
#include "core/events/event_log.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/cli/verbs.h"

#include <cmath>
#include <iostream>
#include <optional>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

struct BestOptions {
    std::string metric;
    bool higherIsBetter = false;
    std::vector<fs::path> runs;
};

BestOptions parseBest(const Args& args) {
    BestOptions parsed;
    std::string goal = "minimize";
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (args[i] != "--metric" && args[i] != "--goal") {
            parsed.runs.push_back(fs::absolute(args[i]).lexically_normal());
            continue;
        }
        if (i + 1 == args.size()) throw InputError("best: " + args[i] + " needs a value.");
        (args[i] == "--metric" ? parsed.metric : goal) = args[i + 1];
        ++i;
    }
    if (goal != "minimize" && goal != "maximize")
        throw InputError("best: --goal: found " + goal + ", expected minimize or maximize.");
    if (parsed.metric.empty() || parsed.runs.empty())
        throw InputError("best: found no " + std::string(parsed.metric.empty() ? "metric" : "run") +
                             ", expected --metric NAME and the folders of runs.",
                         "dailies-train help lists the options.");
    parsed.higherIsBetter = goal == "maximize";
    return parsed;
}

/// The metric's newest value; nullopt where the run logged none that is a number.
std::optional<double> newestValue(const fs::path& run, const std::string& metric) {
    const auto file = run / "events.jsonl";
    if (!fs::exists(file)) return std::nullopt;
    std::optional<double> newest;
    for (const auto& event : events::parseChunk(readFile(file)).events)
        if (const auto* metrics = std::get_if<events::Metrics>(&event.payload))
            if (const auto value = metrics->values.find(metric); value != metrics->values.end())
                newest = value->second;
    return newest && std::isfinite(*newest) ? newest : std::nullopt;
}

}  // namespace

int best(const Args& args) {
    const auto wanted = parseBest(args);
    std::optional<double> leading;
    fs::path checkpoint;
    for (const auto& run : wanted.runs) {
        const auto value = newestValue(run, wanted.metric);
        const Checkpoints checkpoints(run, {});
        const auto newest = checkpoints.newest();
        if (!value || !newest) {
            std::cerr << "dailies-train: " << run.string() << " has no "
                      << (newest ? wanted.metric : "checkpoint") << "; it is left out." << std::endl;
            continue;
        }
        if (leading && !(wanted.higherIsBetter ? *value > *leading : *value < *leading)) continue;
        leading = value;
        checkpoint = checkpoints.folder(*newest);
    }
    if (!leading)
        throw InputError("best: none of these runs has both " + wanted.metric + " and a checkpoint.",
                         "Look at the metric's name, and whether the runs trained to a checkpoint.");
    std::cout << checkpoint.string() << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
