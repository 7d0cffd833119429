#include "core/sweep/stages.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "core/config/schema.h"
#include "core/config/train_config.h"
#include "core/sweep/resources.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace dailies::sweep {

namespace {

/// Whether weights or moments in a checkpoint depend on it.
bool isKept(const std::string& key) {
    if (key == "model.recompute") return false;  // how they are computed, not what
    return key.starts_with("model.") || key.starts_with("tokenizer.") || key == "optimizer.name" ||
           key == "seed";
}

Json configOf(const Sweep& sweep, const Stage& stage) {
    Json config = sweep.config;
    const Json changes = config::flatten(stage.config);
    for (const auto& [key, value] : changes.items()) config::setByKey(config, key, value);
    return config;
}

/// The step at which a stage ends, by what the sweep gives all of its runs.
std::int64_t stepsOf(const Sweep& sweep, const Stage& stage) {
    const auto keys = config::flatten(configOf(sweep, stage));
    return keys.contains("steps") ? keys.at("steps").get<std::int64_t>() : config::TrainConfig{}.steps;
}

std::optional<config::TrainConfig> resolved(const Sweep& sweep, const Stage& stage) {
    try {
        return config::resolve(configOf(sweep, stage));
    } catch (const InputError&) {
        return std::nullopt;  // as it stands a config of none of the runs; `expand` tells of theirs
    }
}

/// A table of positions is of one size of clips.
std::string problemOfSizes(const Sweep& sweep, const std::string& where, const Stage& before,
                           const Stage& stage) {
    const auto from = resolved(sweep, before), to = resolved(sweep, stage);
    if (!from || !to || !config::hasPositionTable(to->model)) return {};
    const auto size = [](const config::TrainConfig& config) {
        return std::vector{config.data.frames, config.data.height, config.data.width};
    };
    if (size(*from) == size(*to)) return {};
    return where +
           "config.data: found clips of another size, expected those of the stage before it, for which "
           "model.positions learned has a table. Set model.positions: none for all stages.";
}

std::string problemOfKeys(const Sweep& sweep, const std::string& where, const Json& config) {
    const Json changes = config::flatten(config);
    for (const auto& [key, value] : changes.items()) {
        if (isKept(key))
            return where + "config." + key +
                   ": found it, expected what may change while a run goes on. Set it for all stages, in "
                   "config.";
        if (std::ranges::find(sweep.parameters, key, &Parameter::key) != sweep.parameters.end())
            return where + "config." + key +
                   ": found it, too, among the parameters, whose values hold for all stages.";
    }
    return {};
}

}  // namespace

std::string stageProblem(const Sweep& sweep, std::size_t index) {
    if (isAdaptive(sweep))
        return "stages: found them with method " + sweep.method +
               ", expected a method whose runs are all known at launch: grid, random or sobol.";
    if (sweep.earlyStop)
        return "stages: found them beside early_terminate, which would leave runs without a next stage.";
    const auto& stage = sweep.stages[index];
    const auto where = "stages." + sanitizedText(stage.name) + ".";
    const auto before = sweep.stages.begin() + static_cast<std::ptrdiff_t>(index);
    if (std::ranges::find(sweep.stages.begin(), before, stage.name, &Stage::name) != before)
        return where + "name: found twice, expected a name of its own.";
    if (auto problem = problemOfKeys(sweep, where, stage.config); !problem.empty()) return problem;
    if (const auto problem = validationError(overlaid(sweep.resources, stage.resources)))
        return where + "resources." + *problem;
    if (index == 0) return {};
    const auto from = stepsOf(sweep, sweep.stages[index - 1]), to = stepsOf(sweep, stage);
    if (to > from) return problemOfSizes(sweep, where, sweep.stages[index - 1], stage);
    return where + "config.steps: found " + std::to_string(to) + ", expected more than the " +
           std::to_string(from) + " steps at which the stage before it ends.";
}

std::vector<Sweep> stagesOf(const Sweep& sweep) {
    if (sweep.stages.empty()) return {sweep};
    std::vector<Sweep> stages;
    for (std::size_t i = 0; i < sweep.stages.size(); ++i) {
        if (const auto problem = stageProblem(sweep, i); !problem.empty()) throw InputError(problem);
        const auto& stage = sweep.stages[i];
        auto& one = stages.emplace_back(sweep);
        one.stages.clear();
        one.name += "-" + stage.name;
        one.config = configOf(sweep, stage);
        one.resources = overlaid(sweep.resources, stage.resources);
        if (i > 0) one.after = SweepDependency{.sweep = {}, .fromCheckpoint = true};
    }
    return stages;
}

}  // namespace dailies::sweep
