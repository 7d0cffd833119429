#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/config/train_config.h"
#include "core/config/value_text.h"
#include "core/sweep/command.h"
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

std::string shownAt(const std::string& key, const Json& value) {
    const std::string text = config::paramText(key, value);
    constexpr std::size_t kLongest = 40;
    if (text.size() <= kLongest) return text;
    return sanitizedText(text.substr(0, kLongest)) + "…";
}

std::string nameOf(const Json& varied, const std::map<std::string, std::string>& labels,
                   const std::string& otherwise) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : varied.items())
        parts.push_back(labels.at(key) + "=" + shownAt(key, value));
    return parts.empty() ? otherwise : join(parts, ", ");
}

std::string madeUnique(std::string name, std::set<std::string>& taken) {
    std::string unique = name;
    for (int copy = 2; !taken.insert(unique).second; ++copy) unique = name + " #" + std::to_string(copy);
    return unique;
}

void check(const Sweep& sweep) {
    if (!findStrategy(sweep.method))
        throw InputError("method: found " + sanitizedText(sweep.method) +
                         ", expected one of: " + join(strategyMethods(), ", ") + ".");
    if (findStrategy(sweep.method)->capped && !sweep.runCap)
        throw InputError(
            "run_cap: found nothing, expected how many runs to draw (method " + sweep.method + ").",
            "Add a line such as run_cap: 16.");
    if (sweep.runCap && (*sweep.runCap < 1 || static_cast<std::size_t>(*sweep.runCap) > kMaxRuns))
        throw InputError("run_cap: found " + std::to_string(*sweep.runCap) +
                         ", expected a whole number from 1 to " + std::to_string(kMaxRuns) + ".");
    if (const auto problem = validationError(sweep.resources)) throw InputError("resources." + *problem);
    if (sweep.earlyStop) {
        if (const auto problem = validationError(*sweep.earlyStop)) throw InputError(*problem);
        if (sweep.metric.empty())
            throw InputError(
                "metric: found nothing, expected the metric by which early_terminate compares runs.",
                "Add a line such as metric: {name: loss, goal: minimize}.");
    }
    if (sweep.program) {
        if (const auto problem = commandProblem(*sweep.program); !problem.empty()) throw InputError(problem);
        if (!sweep.config.empty())
            throw InputError("config: found it beside the program " + sanitizedText(nameOf(*sweep.program)) +
                                 ", expected parameters alone; config is dailies-train's.",
                             "Write fixed arguments as parameters that have a value.");
        if (sweep.after && (sweep.after->fromCheckpoint || sweep.after->initFromBest))
            throw InputError((sweep.after->fromCheckpoint ? "after.from_checkpoint" : "after.init_from") +
                                 std::string(": found it beside the program ") +
                                 sanitizedText(nameOf(*sweep.program)) +
                                 ", expected it of dailies-train alone, whose checkpoints Dailies knows.",
                             "Give the checkpoint to the program as a parameter.");
    }
    const Json fixed = config::flatten(sweep.config);
    if (sweep.after && sweep.after->initFromBest) {
        if (sweep.after->fromCheckpoint)
            throw InputError("after.init_from: found it beside from_checkpoint, expected one of them.",
                             "from_checkpoint trains on; init_from begins anew with trained weights.");
        if (fixed.contains("model.init") ||
            std::ranges::find(sweep.parameters, "model.init", &Parameter::key) != sweep.parameters.end())
            throw InputError("after.init_from: found it beside model.init, which it sets.",
                             "Leave one of them out.");
    }
    for (const auto& [key, value] : fixed.items())
        if (!config::findField(key)) throw InputError("config." + unknownKey(key));
    std::set<std::string> keys;
    for (const auto& parameter : sweep.parameters) {
        const auto problem =
            sweep.program ? validationErrorOfArgument(parameter) : validationError(parameter);
        if (problem) throw InputError(*problem);
        if (!keys.insert(parameter.key).second)
            throw InputError(parameter.key + ": found twice among the parameters, expected once.");
    }
}

/// What all runs of a sweep are made with.
class Maker {
public:
    explicit Maker(const Sweep& sweep) : m_sweep(sweep), m_base(Json::object()) {
        for (const auto& parameter : sweep.parameters)
            if (canVary(parameter)) m_variedKeys.push_back(parameter.key);
        m_labels = labelsOf(m_variedKeys);
        const Json fixed = config::flatten(sweep.config);
        for (const auto& [key, value] : fixed.items()) config::setByKey(m_base, key, value);
        // whose folder it is in is known when the run has an id
        if (sweep.after && sweep.after->initFromBest) config::setByKey(m_base, "model.init", kInitLink);
    }

    /// Keeps the name of a run that was made before.
    void remember(const Json& drawn) { madeUnique(nameOf(variedOf(drawn), m_labels, m_sweep.name), m_names); }

    PlannedRun make(const Json& drawn) {
        PlannedRun run;
        run.drawn = drawn;
        run.varied = variedOf(drawn);
        run.name = madeUnique(nameOf(run.varied, m_labels, m_sweep.name), m_names);
        if (m_sweep.program) {
            run.config = drawn;  // keys as they are: "optimizer" and "optimizer.lr" may stand side by side
            return run;
        }
        Json partial = m_base;
        for (const auto& [key, value] : drawn.items()) config::setByKey(partial, key, value);
        try {
            run.config = config::toJson(config::resolve(partial));
        } catch (const InputError& refused) {
            throw InputError("Run \"" + sanitizedText(run.name) + "\": " + refused.what(), refused.remedy());
        }
        return run;
    }

private:
    Json variedOf(const Json& drawn) const {
        Json varied = Json::object();
        for (const auto& key : m_variedKeys) varied[key] = drawn.at(key);
        return varied;
    }

    const Sweep& m_sweep;
    std::vector<std::string> m_variedKeys;
    std::map<std::string, std::string> m_labels;
    Json m_base;
    std::set<std::string> m_names;
};

std::size_t limitOf(const Sweep& sweep) {
    return sweep.runCap ? static_cast<std::size_t>(*sweep.runCap) : kMaxRuns;
}

}  // namespace

std::vector<PlannedRun> expand(const Sweep& sweep) {
    check(sweep);
    const auto count = isAdaptive(sweep) ? std::min(kStartupRuns, limitOf(sweep)) : limitOf(sweep);
    Maker maker(sweep);
    std::vector<PlannedRun> runs;
    for (const Json& drawn : findStrategy(sweep.method)->draw(sweep, {}, count))
        runs.push_back(maker.make(drawn));
    return runs;
}

std::vector<PlannedRun> propose(const Sweep& sweep, const History& history, std::size_t count) {
    check(sweep);
    if (history.size() >= limitOf(sweep)) return {};
    count = std::min(count, limitOf(sweep) - history.size());
    Maker maker(sweep);
    for (const Trial& trial : history) maker.remember(trial.values);
    std::vector<PlannedRun> runs;
    for (const Json& drawn : findStrategy(sweep.method)->draw(sweep, history, count))
        runs.push_back(maker.make(drawn));
    return runs;
}

PlannedRun plannedRun(const Sweep& sweep, const Json& drawn, const std::vector<Json>& earlier) {
    Maker maker(sweep);
    for (const Json& values : earlier) maker.remember(values);
    return maker.make(drawn);
}

bool isAdaptive(const Sweep& sweep) {
    const Strategy* strategy = findStrategy(sweep.method);
    return strategy && strategy->adaptive;
}

std::size_t runCountOf(const Sweep& sweep) {
    return isAdaptive(sweep) ? limitOf(sweep) : expand(sweep).size();
}

}  // namespace dailies::sweep
