#include "tests/ui/charts/panels/sweep_runs.h"

#include "core/base/json.h"

#include <cmath>
#include <random>

namespace dailies::ui {

std::string runId(std::size_t index) {
    const std::string number = std::to_string(index);
    return std::string(32 - number.size(), '0') + number;
}

ChartedRuns sweepRuns(std::size_t count) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0, 1);
    const char* const optimizers[] = {"adam", "lion", "muon"};
    const char* const batches[] = {"8", "16", "32", "64"};
    ChartedRuns runs;
    for (std::size_t i = 0; i < count; ++i) {
        auto run = std::make_shared<tracking::Run>();
        run->id = runId(i);
        run->name = "run " + std::to_string(i);
        run->status = tracking::RunStatus::Finished;
        run->startMs = 1'763'700'000'000 + 600'000 * static_cast<std::int64_t>(i);
        run->endMs = run->startMs + 3'600'000 + 10'000 * static_cast<std::int64_t>(i % 97);
        const double decades = -5 + 3 * uniform(random);
        const std::size_t optimizer = random() % 3;
        run->params["lr"] = shortNumber(std::pow(10.0, decades));
        run->params["batch"] = batches[random() % 4];
        run->params["optimizer"] = optimizers[optimizer];
        run->params["dropout"] = shortNumber(0.3 * uniform(random));
        run->params["steps"] = "20000";
        if (optimizer == 0) {
            run->params["warmup"] = std::to_string(100 + random() % 900);
        }
        const double quality =
            1 / (1 + std::exp(-2 * (decades + 3.5))) + 0.15 * static_cast<double>(optimizer);
        const double adherence = 0.75 * quality + 0.04 * (uniform(random) - 0.5);
        run->metrics["adherence"] = {20'000, 1, i == 2 ? NAN : adherence};
        run->metrics["loss"] = {20'000, 1, 0.9 - 0.5 * quality + 0.05 * uniform(random)};
        if (i == 4) {
            run->metrics.erase("adherence");
        }
        runs.push_back({.run = std::move(run)});
    }
    return runs;
}

}  // namespace dailies::ui
