#include "core/base/error.h"
#include "core/sweep/distribution.h"
#include "core/sweep/parameter.h"
#include "core/sweep/strategies/strategy.h"

#include <algorithm>

namespace dailies::sweep {

std::vector<Json> drawGrid(const Sweep& sweep, const History& history, std::size_t wanted) {
    std::size_t count = 1;
    for (const auto& parameter : sweep.parameters) {
        const std::size_t values = valueCount(parameter);
        if (values == 0)
            throw InputError(parameter.key + ": found the distribution " +
                                 std::string(distributionName(parameter.kind)) +
                                 ", expected values, int_uniform or q_uniform (method grid).",
                             "Use method random with run_cap to draw from distributions.");
        count *= std::min(values, kMaxRuns + 1);
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
            const std::size_t values = valueCount(*parameter);
            run[parameter->key] = valueOf(*parameter, rest % values);
            rest /= values;
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace dailies::sweep
