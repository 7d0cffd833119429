#include "core/base/error.h"
#include "core/sweep/strategies/strategy.h"

#include <algorithm>

namespace dailies::sweep {

std::vector<Json> drawGrid(const Sweep& sweep, const History& history, std::size_t wanted) {
    std::size_t count = 1;
    for (const auto& parameter : sweep.parameters) {
        if (parameter.values.empty())
            throw InputError(
                parameter.key + ": found a distribution, expected a list of values (method grid).",
                "Use method random with run_cap to draw from distributions.");
        count *= parameter.values.size();
        if (count > kMaxRuns && !sweep.runCap)
            throw InputError("The grid has more than " + std::to_string(kMaxRuns) + " runs.",
                             "Take some values out, or set run_cap.");
        count =
            std::min(count, kMaxRuns + 1);  // a capped grid may be any size; the product must not wrap around
    }

    std::vector<Json> runs;
    for (std::size_t index = history.size(); index < count && runs.size() < wanted; ++index) {
        Json run = Json::object();
        for (const auto& parameter : sweep.parameters)
            run[parameter.key] = nullptr;  // in the order of the file
        std::size_t rest = index;          // the digits of the index, the last parameter varying fastest
        for (auto parameter = sweep.parameters.rbegin(); parameter != sweep.parameters.rend(); ++parameter) {
            run[parameter->key] = parameter->values[rest % parameter->values.size()];
            rest /= parameter->values.size();
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace dailies::sweep
