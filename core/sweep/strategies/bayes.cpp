#include "core/base/error.h"
#include "core/sweep/distribution.h"
#include "core/sweep/strategies/parzen_estimator.h"
#include "core/sweep/strategies/sobol.h"
#include "core/sweep/strategies/strategy.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

// W&B's word for "the next run follows the results". The method is TPE, a tree-structured Parzen estimator
// (Bergstra, Bardenet, Bengio, Kégl 2011), with the choices of Optuna's TPESampler: two densities over the
// space, one of the best runs (l) and one of all others (g); of some draws from l the one with the largest
// l/g is the next run. The first runs are points of a Sobol sequence.

namespace dailies::sweep {

namespace {

constexpr std::size_t kCandidates = 24;
constexpr std::size_t kMaxBest = 25;
constexpr double kBestShare = 0.1;
constexpr std::size_t kRecent = 25;  ///< so many of the newest others count in full

/// Whether a run says something: one that was lost with its node does not, one that diverged does.
bool isJudged(const Trial& trial) {
    if (trial.state == Trial::State::Open || !trial.result) return false;
    return trial.state != Trial::State::Failed || !std::isfinite(*trial.result);
}

/// Best first: what finished by its result; then what was stopped, the longest first; then what diverged.
auto quality(const Trial& trial, Goal goal) {
    const double result = goal == Goal::Minimize ? *trial.result : -*trial.result;
    if (!std::isfinite(result)) return std::tuple(2, std::int64_t{0}, 0.0);
    if (trial.state == Trial::State::Finished) return std::tuple(0, std::int64_t{0}, result);
    return std::tuple(1, -trial.step, result);
}

/// Older runs count less: they were drawn when less was known.
std::vector<double> weightsByAge(std::size_t count) {
    std::vector<double> weights(count, 1.0);
    if (count <= kRecent) return weights;
    const std::size_t older = count - kRecent;
    for (std::size_t i = 0; i < older; ++i)
        weights[i] = (static_cast<double>(i) + 1) / static_cast<double>(older + 1);
    return weights;
}

class Tpe {
public:
    Tpe(const Sweep& sweep, const History& history)
        : m_sweep(sweep), m_parameters(sweep.parameters), m_run(history.size()) {
        for (auto& parameter : m_parameters) {
            parameter.probabilities.clear();  // a prior: results count for more once there are any
            m_axes.push_back({valueCount(parameter), isUnordered(parameter)});
        }
        std::vector<std::size_t> judged;
        for (std::size_t i = 0; i < history.size(); ++i)
            if (isJudged(history[i])) judged.push_back(i);
        std::ranges::stable_sort(judged, {}, [&](std::size_t i) { return quality(history[i], sweep.goal); });
        const auto best = std::min(
            kMaxBest, static_cast<std::size_t>(std::ceil(kBestShare * static_cast<double>(judged.size()))));
        const std::set<std::size_t> isBest(judged.begin(),
                                           judged.begin() + static_cast<std::ptrdiff_t>(best));
        for (std::size_t i = 0; i < history.size(); ++i) {
            // A run that still goes on counts among the others, lest the next ones be put beside it (the
            // constant liar of Ginsbourger, Le Riche, Carraro 2010).
            const bool open = history[i].state == Trial::State::Open;
            if (!open && !isJudged(history[i])) continue;
            (isBest.contains(i) ? m_best : m_others).push_back(pointOf(history[i].values));
        }
    }

    Json propose(const std::set<std::string>& taken) const {
        const ParzenEstimator good(m_axes, m_best, std::vector<double>(m_best.size(), 1.0));
        const ParzenEstimator rest(m_axes, m_others, weightsByAge(m_others.size()));
        SeededRng random(m_sweep.seed, m_run, "bayes");
        Json chosen;
        double highest = 0;
        for (std::size_t i = 0; i < kCandidates; ++i) {
            const UnitPoint point = good.sample(random);
            Json values = valuesAt(point);
            if (taken.contains(values.dump())) continue;
            const double score = good.logDensity(point) - rest.logDensity(point);
            if (!chosen.is_null() && score <= highest) continue;
            chosen = std::move(values);
            highest = score;
        }
        return chosen;
    }

    Json valuesAt(const UnitPoint& point) const {
        Json values = Json::object();
        for (std::size_t d = 0; d < point.size(); ++d)
            values[m_parameters[d].key] = valueAt(m_parameters[d], point[d]);
        return values;
    }

private:
    UnitPoint pointOf(const Json& values) const {
        UnitPoint point;
        for (const auto& parameter : m_parameters)
            point.push_back(unitOf(parameter, values.value(parameter.key, Json())));
        return point;
    }

    const Sweep& m_sweep;
    std::vector<Parameter> m_parameters;
    std::size_t m_run;
    std::vector<ParzenAxis> m_axes;
    std::vector<UnitPoint> m_best, m_others;
};

/// Where the strategy's draws are all taken: some point of the space that is not, found by walking through
/// a Sobol sequence, which meets every value of a small space soon. Null when there is none left.
Json firstFree(const Sweep& sweep, std::size_t run, const Tpe& tpe, const std::set<std::string>& taken) {
    double size = 1;
    for (const auto& parameter : sweep.parameters)
        size *= valueCount(parameter) == 0 ? static_cast<double>(kMaxRuns)
                                           : static_cast<double>(valueCount(parameter));
    if (static_cast<double>(taken.size()) >= size) return nullptr;
    for (std::size_t i = 0; i < 4 * kMaxRuns; ++i) {
        Json values = tpe.valuesAt(sobolPoint(sweep, run + i));
        if (!taken.contains(values.dump())) return values;
    }
    return nullptr;
}

}  // namespace

std::vector<Json> drawBayes(const Sweep& sweep, const History& history, std::size_t count) {
    if (sweep.metric.empty())
        throw InputError("metric: found nothing, expected the metric whose results lead method bayes.",
                         "Add a line such as metric: {name: loss, goal: minimize}.");
    History known = history;
    std::set<std::string> taken;
    for (const Trial& trial : known) taken.insert(trial.values.dump());
    std::vector<Json> runs;
    while (runs.size() < count) {
        const Tpe tpe(sweep, known);
        const auto judged = static_cast<std::size_t>(std::ranges::count_if(known, isJudged));
        Json values =
            judged < kStartupRuns ? tpe.valuesAt(sobolPoint(sweep, known.size())) : tpe.propose(taken);
        if (values.is_null() || taken.contains(values.dump()))
            values = firstFree(sweep, known.size(), tpe, taken);
        if (values.is_null()) break;
        taken.insert(values.dump());
        known.push_back({values, Trial::State::Open, std::nullopt, 0});
        runs.push_back(std::move(values));
    }
    return runs;
}

}  // namespace dailies::sweep
