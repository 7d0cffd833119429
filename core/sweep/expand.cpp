#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/config/train_config.h"
#include "core/sweep/parameter.h"
#include "core/sweep/resources.h"
#include "core/sweep/strategies/strategy.h"

#include <algorithm>
#include <set>

namespace dailies::sweep {

namespace {

bool canVary(const Parameter& parameter) {
    return parameter.kind != Parameter::Kind::Fixed && parameter.values.size() != 1;
}

/// For each varied key the shortest word that names it: "lr", or "model.width" where "data.width" varies too.
std::map<std::string, std::string> labelsOf(const std::vector<std::string>& keys) {
    const auto shorter = shortKeys(keys);
    std::map<std::string, std::string> labels;
    for (std::size_t i = 0; i < keys.size(); ++i) labels[keys[i]] = shorter[i];
    return labels;
}

std::string shown(const Json& value) {
    if (value.is_number_float()) return shortNumber(value.get<double>());
    std::string text = value.is_string() ? value.get<std::string>()
                                         : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    constexpr std::size_t kLongest = 40;
    if (text.size() <= kLongest) return text;
    return inertText(text.substr(0, kLongest)) + "…";
}

std::string nameOf(const Json& varied, const std::map<std::string, std::string>& labels,
                   const std::string& otherwise) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : varied.items()) parts.push_back(labels.at(key) + "=" + shown(value));
    return parts.empty() ? otherwise : join(parts, ", ");
}

std::string madeUnique(std::string name, std::set<std::string>& taken) {
    std::string unique = name;
    for (int copy = 2; !taken.insert(unique).second; ++copy) unique = name + " #" + std::to_string(copy);
    return unique;
}

void check(const Sweep& sweep) {
    if (!findStrategy(sweep.method))
        throw InputError("method: found " + inertText(sweep.method) +
                         ", expected one of: " + join(strategyMethods(), ", ") + ".");
    if (sweep.runCap && (*sweep.runCap < 1 || static_cast<std::size_t>(*sweep.runCap) > kMaxRuns))
        throw InputError("run_cap: found " + std::to_string(*sweep.runCap) +
                         ", expected a whole number from 1 to " + std::to_string(kMaxRuns) + ".");
    if (const auto problem = problemOf(sweep.resources)) throw InputError("resources." + *problem);
    const Json fixed = config::flatten(sweep.config);
    for (const auto& [key, value] : fixed.items())
        if (!config::findField(key)) throw InputError("config." + unknownKey(key));
    std::set<std::string> keys;
    for (const auto& parameter : sweep.parameters) {
        if (const auto problem = problemOf(parameter)) throw InputError(*problem);
        if (!keys.insert(parameter.key).second)
            throw InputError(parameter.key + ": found twice among the parameters, expected once.");
    }
}

}  // namespace

std::vector<PlannedRun> expand(const Sweep& sweep) {
    check(sweep);
    std::vector<std::string> variedKeys;
    for (const auto& parameter : sweep.parameters)
        if (canVary(parameter)) variedKeys.push_back(parameter.key);
    const auto labels = labelsOf(variedKeys);
    const Json fixed = config::flatten(sweep.config);
    Json base = Json::object();
    for (const auto& [key, value] : fixed.items()) config::setByKey(base, key, value);

    std::vector<PlannedRun> runs;
    std::set<std::string> names;
    for (const Json& drawn : findStrategy(sweep.method)->draw(sweep)) {
        PlannedRun run;
        run.varied = Json::object();
        for (const auto& key : variedKeys) run.varied[key] = drawn.at(key);
        run.name = madeUnique(nameOf(run.varied, labels, sweep.name), names);
        Json partial = base;
        for (const auto& [key, value] : drawn.items()) config::setByKey(partial, key, value);
        try {
            run.config = config::toJson(config::resolve(partial));
        } catch (const InputError& refused) {
            throw InputError("Run \"" + inertText(run.name) + "\": " + refused.what(), refused.remedy());
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

}  // namespace dailies::sweep
