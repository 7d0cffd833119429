#include "core/sweep/distribution.h"
#include "core/sweep/seeded_rng.h"
#include "core/sweep/strategies/strategy.h"

namespace dailies::sweep {

/// A longer sweep begins with the runs of the shorter one, and a parameter more does not change the others.
std::vector<Json> drawRandom(const Sweep& sweep, const History& history, std::size_t count) {
    std::vector<Json> runs;
    for (std::size_t index = history.size(); index < history.size() + count; ++index) {
        Json run = Json::object();
        for (const auto& parameter : sweep.parameters)
            run[parameter.key] = valueAt(parameter, SeededRng(sweep.seed, index, parameter.key).unit());
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace dailies::sweep
