#include "core/sweep/early_stop.h"

#include "core/base/counts.h"
#include "core/base/json.h"
#include "core/sweep/sweep.h"

#include <algorithm>
#include <cmath>

namespace dailies::sweep {

namespace {

/// More rungs than any training has.
constexpr int kMaxRungs = 64;

std::size_t mayGoOn(const EarlyStop& rule, std::size_t runs) {
    constexpr double kSlack = 1e-9;  // 9 / 3 may come out a little above or below 3
    const double share = static_cast<double>(runs) / rule.eta;
    const double kept = rule.strict ? std::floor(share + kSlack) : std::ceil(share - kSlack);
    return std::max<std::size_t>(1, static_cast<std::size_t>(kept));
}

const RungValue* passedAt(const RungProgress& climb, std::int64_t rung) {
    for (const RungValue& value : climb.passed)
        if (value.rung == rung) return &value;
    return nullptr;
}

std::optional<StopDecision> judge(const EarlyStop& rule, Goal goal, const std::vector<RungProgress>& runs,
                                  std::size_t run, const RungValue& own) {
    std::vector<double> values;
    std::size_t rank = 1;
    for (std::size_t other = 0; other < runs.size(); ++other) {
        const RungValue* at = other == run ? &own : passedAt(runs[other], own.rung);
        if (!at) continue;
        const bool later = std::pair(at->timeMs, other) > std::pair(own.timeMs, run);
        if (rule.rule == EarlyStop::Rule::Asha && later) continue;
        values.push_back(at->value);
        rank += isBetter(at->value, own.value, goal) ? 1 : 0;
    }
    StopDecision decision{run, own, 0, rank, mayGoOn(rule, values.size()), values.size()};
    if (rank <= decision.kept && std::isfinite(own.value)) return std::nullopt;
    std::ranges::sort(values, [&](double a, double b) { return isBetter(a, b, goal); });
    decision.bound = values[decision.kept - 1];
    return decision;
}

std::string ordinal(std::size_t n) {
    const char* ending = n % 100 / 10 == 1 ? "th"
                         : n % 10 == 1     ? "st"
                         : n % 10 == 2     ? "nd"
                         : n % 10 == 3     ? "rd"
                                           : "th";
    return std::to_string(n) + ending;
}

std::string shownBound(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

}  // namespace

std::optional<std::string> validationError(const EarlyStop& rule) {
    const auto found = [](const std::string& key, const std::string& value, const std::string& expected) {
        return "early_terminate." + key + ": found " + value + ", expected " + expected + ".";
    };
    if (!rule.minIter && !rule.maxIter)
        return found("min_iter", "nothing", "the step of the first rung, or max_iter with s");
    if (rule.minIter && rule.maxIter) return found("min_iter", "it beside max_iter", "one of the two");
    if (rule.minIter && *rule.minIter < 1)
        return found("min_iter", std::to_string(*rule.minIter), "a whole number of steps of 1 or more");
    if (rule.maxIter && *rule.maxIter < 2)
        return found("max_iter", std::to_string(*rule.maxIter), "a whole number of steps of 2 or more");
    if (rule.maxIter && (rule.s < 1 || rule.s > kMaxRungs))
        return found("s", std::to_string(rule.s),
                     "how many rungs lie below max_iter, 1 to " + std::to_string(kMaxRungs));
    if (!(rule.eta > 1) || !std::isfinite(rule.eta))
        return found("eta", shortNumber(rule.eta), "a number above 1: one of eta runs goes on");
    return std::nullopt;
}

std::vector<std::int64_t> rungsOf(const EarlyStop& rule, std::int64_t steps) {
    std::vector<std::int64_t> rungs;
    const auto add = [&](double rung) {
        if (rung < 1 || rung >= static_cast<double>(steps)) return;
        const auto step = static_cast<std::int64_t>(std::llround(rung));
        if (step < steps && (rungs.empty() || rungs.back() < step)) rungs.push_back(step);
    };
    if (rule.minIter) {
        double rung = static_cast<double>(*rule.minIter);
        for (int k = 0; k < kMaxRungs; ++k, rung *= rule.eta) add(rung);
    } else if (rule.maxIter) {
        for (int k = rule.s; k >= 1; --k) add(static_cast<double>(*rule.maxIter) / std::pow(rule.eta, k));
    }
    return rungs;
}

std::vector<StopDecision> stopDecisions(const EarlyStop& rule, Goal goal,
                                        const std::vector<RungProgress>& runs) {
    std::vector<StopDecision> decisions;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto& passed = runs[run].passed;
        if (!runs[run].active || passed.empty()) continue;
        // Having passed a rung once means, by ASHA's rule, to have passed it for good: asking again gives the
        // same answer, also when several rungs were passed unseen.
        const bool onlyHighest = rule.rule == EarlyStop::Rule::Hyperband && !rule.strict;
        for (auto at = onlyHighest ? passed.end() - 1 : passed.begin(); at != passed.end(); ++at)
            if (auto decision = judge(rule, goal, runs, run, *at)) {
                decisions.push_back(*decision);
                break;
            }
    }
    return decisions;
}

std::string explain(const StopDecision& decision, Goal goal, const std::string& metric, bool countsValues) {
    const std::string where =
        countsValues ? "after " + pluralize(decision.at.rung, "value", "values") + " of " + metric
                     : "at step " + std::to_string(decision.at.rung);
    const std::string begin =
        "Stopped early " + where + ": its " + metric + " " + shownBound(decision.at.value);
    if (!std::isfinite(decision.at.value)) return begin + " is not a number to go on with.";
    const std::string best =
        decision.kept == 1 ? "the best had " : "the best " + std::to_string(decision.kept) + " had ";
    const std::string more = decision.kept == 1 ? "" : goal == Goal::Minimize ? " or less" : " or more";
    return begin + " was the " + ordinal(decision.rank) + " best of " + std::to_string(decision.of) +
           " runs there; " + best + shownBound(decision.bound) + more + ".";
}

double expectedShare(const EarlyStop& rule, std::int64_t steps) {
    if (steps <= 0) return 1;
    double share = 0, going = 1;
    std::int64_t from = 0;
    auto rungs = rungsOf(rule, steps);
    rungs.push_back(steps);
    for (const std::int64_t rung : rungs) {
        share += going * static_cast<double>(rung - from);
        going /= rule.eta;
        from = rung;
    }
    return share / static_cast<double>(steps);
}

}  // namespace dailies::sweep
