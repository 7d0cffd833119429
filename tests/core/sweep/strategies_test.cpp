#include "core/base/error.h"
#include "core/sweep/distribution.h"
#include "core/sweep/parameter.h"
#include "core/sweep/seeded_rng.h"
#include "core/sweep/strategies/sobol.h"
#include "core/sweep/strategies/strategy.h"
#include "core/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace dailies::sweep {
namespace {

using Kind = Parameter::Kind;

Parameter ranged(const std::string& key, Kind kind, double low, double high, double q = 1) {
    Parameter parameter;
    parameter.key = key;
    parameter.kind = kind;
    const auto numbers = numbersOf(kind);
    parameter.*numbers[0].member = low;
    parameter.*numbers[1].member = high;
    parameter.q = q;
    return parameter;
}

Parameter listed(const std::string& key, std::vector<Json> values) {
    Parameter parameter;
    parameter.key = key;
    parameter.kind = values.size() == 1 ? Kind::Fixed : Kind::Values;
    parameter.values = std::move(values);
    return parameter;
}

Parameter weighted(const std::string& key, std::vector<Json> values, std::vector<double> probabilities) {
    auto parameter = listed(key, std::move(values));
    parameter.probabilities = std::move(probabilities);
    return parameter;
}

Sweep sweepOver(std::vector<Parameter> parameters, const std::string& method, int runs) {
    Sweep sweep;
    sweep.name = "s";
    sweep.method = method;
    sweep.metric = "loss";
    sweep.parameters = std::move(parameters);
    sweep.runCap = runs;
    return sweep;
}

/// Every kind of parameter at once.
std::vector<Parameter> everyKind() {
    return {ranged("optimizer.lr", Kind::LogUniform, 1e-5, 1e-1),
            ranged("optimizer.weight_decay", Kind::Uniform, 0, 0.1),
            ranged("optimizer.warmup_steps", Kind::IntUniform, 0, 9),
            ranged("data.batch_size", Kind::QUniform, 5, 64, 8),
            ranged("sampling.seed", Kind::QLogUniform, 3, 1000, 10),
            ranged("diffusion.timestep_mean", Kind::Normal, -1, 0.5),
            ranged("optimizer.grad_clip", Kind::LogNormal, 0, 0.5),
            ranged("diffusion.timestep_std", Kind::QNormal, 1, 0.1, 0.25),
            ranged("diffusion.min_snr_gamma", Kind::QLogNormal, 1, 0.5, 0.5),
            ranged("diffusion.caption_drop", Kind::Beta, 2, 5),
            ranged("optimizer.decay_fraction", Kind::QBeta, 5, 1, 0.01),
            listed("model.activation", {"relu2", "gelu"}),
            weighted("layout.shard", {"none", "zero1", "zero2"}, {0.2, 0.7, 0.1}),
            listed("seed", {7})};
}

bool isIn(const Parameter& p, const Json& value) {
    if (p.kind == Kind::Fixed || p.kind == Kind::Values)
        return std::find(p.values.begin(), p.values.end(), value) != p.values.end();
    const double number = value.get<double>();
    if (p.kind == Kind::IntUniform && !value.is_number_integer()) return false;
    if (isQuantized(p.kind) && std::abs(std::remainder(number, p.q)) > 1e-6) return false;
    if (isBeta(p.kind)) return number >= 0 && number <= 1;
    return std::isfinite(number) && (isNormal(p.kind) || (number >= p.minimum && number <= p.maximum));
}

/// Runs the sweep as an agent does, `parallel` runs at once, and returns the results in order.
std::vector<double> searched(const Sweep& sweep, const std::function<double(const Json&)>& loss,
                             std::size_t parallel = 1) {
    History history;
    std::vector<double> results;
    const auto* strategy = findStrategy(sweep.method);
    while (history.size() < static_cast<std::size_t>(*sweep.runCap)) {
        const auto runs = strategy->draw(sweep, history, parallel);
        for (const Json& run : runs) {
            results.push_back(loss(run));
            history.push_back({run, Trial::State::Finished, results.back(), 100});
        }
        if (runs.empty()) break;
    }
    return results;
}

double best(const std::vector<double>& results) {
    return *std::min_element(results.begin(), results.end());
}

// ---- what every strategy owes

class EveryStrategy : public testing::TestWithParam<std::string> {
protected:
    /// A grid takes lists alone.
    static std::vector<Parameter> space() {
        if (GetParam() != "grid") return everyKind();
        return {listed("optimizer.lr", {0.1, 0.01, 0.001}), listed("model.activation", {"relu2", "gelu"}),
                listed("optimizer.warmup_steps", {0, 1, 2, 3}), listed("seed", {7})};
    }
    static std::vector<Json> draw(const Sweep& sweep, const History& history, std::size_t count) {
        return findStrategy(sweep.method)->draw(sweep, history, count);
    }
    static double loss(const Json& run) {
        return std::abs(std::log10(run["optimizer.lr"].get<double>()) + 3);
    }
};

TEST_P(EveryStrategy, KeepsEveryParameterInItsRangeAndFixedValuesFixed) {
    const Sweep sweep = sweepOver(space(), GetParam(), 60);
    History history;
    for (int i = 0; i < 20; ++i)
        for (const Json& run : draw(sweep, history, 3)) {
            ASSERT_EQ(run.size(), sweep.parameters.size());
            for (const auto& parameter : sweep.parameters)
                EXPECT_TRUE(isIn(parameter, run[parameter.key]))
                    << parameter.key << " " << run[parameter.key];
            EXPECT_EQ(run["seed"], 7);
            history.push_back({run, Trial::State::Finished, loss(run), 10});
        }
}

TEST_P(EveryStrategy, GivesTheSameRunsForTheSameSeedAndHistory) {
    Sweep sweep = sweepOver(space(), GetParam(), 24);
    const auto first = searched(sweep, loss, 4);
    EXPECT_EQ(searched(sweep, loss, 4), first);
    if (GetParam() == "grid") return;
    sweep.seed = 1;
    EXPECT_NE(searched(sweep, loss, 4), first) << "another seed draws other runs";
}

TEST_P(EveryStrategy, GoesOnAfterAnyNumberOfRunsAsIfItHadNeverStopped) {
    const Sweep sweep = sweepOver(space(), GetParam(), 24);
    const auto whole = draw(sweep, {}, 8);
    History history;
    for (std::size_t i = 0; i < 5; ++i) history.push_back({whole[i], Trial::State::Open, std::nullopt, 0});
    const auto rest = draw(sweep, history, 3);
    EXPECT_EQ(rest, std::vector<Json>(whole.begin() + 5, whole.end()));
}

TEST_P(EveryStrategy, MakesASweepOfOneRun) {
    Sweep sweep = sweepOver(space(), GetParam(), 1);
    EXPECT_EQ(expand(sweep).size(), 1u);
    sweep.parameters = {listed("seed", {3})};
    EXPECT_EQ(expand(sweep).size(), 1u);
    EXPECT_EQ(expand(sweep)[0].config["seed"], 3);
}

TEST_P(EveryStrategy, LivesWithResultsOfEveryKind) {
    const Sweep sweep = sweepOver(space(), GetParam(), 200);
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const std::optional<double> results[] = {kNan, kInf, -kInf, 1e308, -1e308, 0.0, std::nullopt};
    for (const auto state :
         {Trial::State::Open, Trial::State::Finished, Trial::State::Stopped, Trial::State::Failed}) {
        History history;
        for (int i = 0; i < 14; ++i) {
            const auto runs = draw(sweep, history, 1);
            ASSERT_EQ(runs.size(), 1u);
            history.push_back({runs[0], state, results[i % 7], i});
        }
        for (const Json& run : draw(sweep, history, 4))
            for (const auto& parameter : sweep.parameters)
                EXPECT_TRUE(isIn(parameter, run[parameter.key])) << parameter.key;
    }
}

TEST_P(EveryStrategy, LivesWithSpacesOfOnePointAndOfManyDimensions) {
    Sweep narrow = sweepOver({listed("seed", {1, 2})}, GetParam(), 40);
    if (GetParam() != "grid")
        narrow.parameters.push_back(ranged("optimizer.lr", Kind::LogUniform, 1e-3, 1e-3)),
            narrow.parameters.push_back(ranged("optimizer.weight_decay", Kind::Uniform, 0, 0));
    EXPECT_NO_THROW(searched(
        narrow, [](const Json&) { return 1.0; }, 8));

    std::vector<Parameter> many;
    for (int i = 0; i < 40; ++i)
        many.push_back(GetParam() == "grid" ? listed("p" + std::to_string(i), {0, 1})
                                            : ranged("p" + std::to_string(i), Kind::Uniform, 0, 1));
    const auto results = searched(sweepOver(many, GetParam(), 16), [](const Json& run) {
        double sum = 0;
        for (const auto& [key, value] : run.items()) sum += value.get<double>();
        return sum;
    });
    EXPECT_EQ(results.size(), 16u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, testing::ValuesIn(strategyMethods()),
                         [](const auto& instance) { return instance.param; });

// ---- distributions

TEST(Distribution, AValueAndItsPlaceAreEachOthersInverse) {
    for (const auto& parameter : everyKind())
        for (double u = 0.01; u < 1; u += 0.03) {
            const Json value = valueAt(parameter, u);
            const Json again = valueAt(parameter, unitOf(parameter, value));
            if (value.is_number_float())
                EXPECT_NEAR(again.get<double>(), value.get<double>(),
                            1e-4 * (1 + std::abs(value.get<double>())))
                    << parameter.key << " at " << u;
            else
                EXPECT_EQ(again, value) << parameter.key << " at " << u;
        }
}

TEST(Distribution, OfValuesWithProbabilitiesEachComesAsOftenAsItsOwnSays) {
    const auto p = weighted("layout.shard", {"none", "zero1", "zero2"}, {0.2, 0.7, 0.1});
    std::map<std::string, int> counts;
    for (int i = 0; i < 1000; ++i) ++counts[valueAt(p, (i + 0.5) / 1000).get<std::string>()];
    EXPECT_THAT(counts, testing::ElementsAre(testing::Pair("none", 200), testing::Pair("zero1", 700),
                                             testing::Pair("zero2", 100)));
    EXPECT_EQ(valueAt(weighted("seed", {1, 2, 3}, {0.5, 0, 0.5}), 0.5), 3) << "never one of probability 0";
    EXPECT_EQ(valueAt(weighted("seed", {1, 2}, {1, 0}), 0x1.fffffp-1), 1);
}

/// As scipy.stats says of the same distributions: beta(2, 5).ppf, lognorm(0.5, scale=e).ppf.
TEST(Distribution, QuantilesAreScipys) {
    const auto beta = ranged("d", Kind::Beta, 2, 5);
    EXPECT_NEAR(valueAt(beta, 0.1).get<double>(), 0.0925953, 1e-6);
    EXPECT_NEAR(valueAt(beta, 0.5).get<double>(), 0.264450, 1e-6);
    EXPECT_NEAR(valueAt(beta, 0.9).get<double>(), 0.510316, 1e-6);
    EXPECT_NEAR(valueAt(ranged("d", Kind::QBeta, 2, 5, 0.25), 0.5).get<double>(), 0.25, 1e-12);
    EXPECT_NEAR(valueAt(ranged("d", Kind::LogNormal, 1, 0.5), 0.9).get<double>(), 5.15914, 1e-4);
    EXPECT_NEAR(valueAt(ranged("d", Kind::QLogNormal, 1, 0.5, 0.5), 0.9).get<double>(), 5.0, 1e-12);
}

TEST(Distribution, AGridTakesWholeNumbersAndMultiplesInARange) {
    const auto runs = drawGrid(sweepOver({ranged("optimizer.warmup_steps", Kind::IntUniform, 3, 5),
                                          ranged("data.batch_size", Kind::QUniform, 5, 20, 8)},
                                         "grid", 100),
                               {}, 100);
    ASSERT_EQ(runs.size(), 6u);
    EXPECT_EQ(runs.front(), (Json{{"optimizer.warmup_steps", 3}, {"data.batch_size", 8.0}}));
    EXPECT_EQ(runs.back(), (Json{{"optimizer.warmup_steps", 5}, {"data.batch_size", 16.0}}));
}

TEST(Distribution, OfAQuantisedRangeNoMultipleLiesOutside) {
    const auto p = ranged("data.batch_size", Kind::QUniform, 5, 20, 8);
    EXPECT_EQ(valueAt(p, 0), 8.0);
    EXPECT_EQ(valueAt(p, 0.999), 16.0);
    EXPECT_EQ(valueCount(p), 2u);
    Sweep sweep = sweepOver({ranged("data.batch_size", Kind::QUniform, 5, 7, 8)}, "random", 2);
    EXPECT_THROW(expand(sweep), InputError) << "no multiple of 8 lies between 5 and 7";
}

// ---- sobol

TEST(Sobol, UnscrambledPointsAreJoeAndKuosUpToTheScrambling) {
    // Each stretch of length 2^-k holds one of every 2^k points in each dimension, and each elementary box of
    // area 2^-k one of every 2^k points in the first two: what makes the sequence even survives scrambling.
    std::vector<Parameter> parameters;
    for (int d = 0; d < 40; ++d) parameters.push_back(ranged("p" + std::to_string(d), Kind::Uniform, 0, 1));
    Sweep sweep = sweepOver(parameters, "sobol", 64);
    for (const std::int64_t seed : {0, 1, 99}) {
        sweep.seed = seed;
        std::vector<std::vector<double>> points;
        for (std::size_t i = 0; i < 64; ++i) points.push_back(sobolPoint(sweep, i));
        for (std::size_t d = 0; d < parameters.size(); ++d) {
            std::set<int> stretches;
            for (const auto& point : points) stretches.insert(static_cast<int>(point[d] * 64));
            EXPECT_EQ(stretches.size(), 64u) << "dimension " << d << ", seed " << seed;
        }
        for (int across = 0; across <= 6; ++across) {
            std::set<std::pair<int, int>> boxes;
            for (const auto& point : points)
                boxes.insert({static_cast<int>(point[0] * (1 << across)),
                              static_cast<int>(point[1] * (1 << (6 - across)))});
            EXPECT_EQ(boxes.size(), 64u) << "boxes of 2^-" << across << " width, seed " << seed;
        }
    }
}

/// The L2-star discrepancy (Warnock 1972).
double discrepancy(const std::vector<std::vector<double>>& points) {
    const auto n = static_cast<double>(points.size());
    const auto dims = points[0].size();
    double single = 0, pairs = 0;
    for (const auto& x : points) {
        double product = 1;
        for (const double c : x) product *= 1 - c * c;
        single += product;
        for (const auto& y : points) {
            double both = 1;
            for (std::size_t d = 0; d < dims; ++d) both *= 1 - std::max(x[d], y[d]);
            pairs += both;
        }
    }
    return std::sqrt(std::pow(3.0, -static_cast<double>(dims)) -
                     std::pow(2.0, 1 - static_cast<double>(dims)) / n * single + pairs / (n * n));
}

TEST(Sobol, FillsTheSpaceMoreEvenlyThanRandomDraws) {
    const std::vector<Parameter> parameters{
        ranged("a", Kind::Uniform, 0, 1), ranged("b", Kind::Uniform, 0, 1), ranged("c", Kind::Uniform, 0, 1)};
    const auto spread = [&](const std::string& method, std::int64_t seed) {
        Sweep sweep = sweepOver(parameters, method, 100);
        sweep.seed = seed;
        std::vector<std::vector<double>> points;
        for (const Json& run : findStrategy(method)->draw(sweep, {}, 100))
            points.push_back({run["a"], run["b"], run["c"]});
        return discrepancy(points);
    };
    double sobol = 0, random = 0;
    for (std::int64_t seed = 0; seed < 10; ++seed) {
        sobol += spread("sobol", seed);
        random += spread("random", seed);
    }
    EXPECT_LT(sobol, 0.4 * random) << "over ten seeds";
}

// ---- bayes

struct Problem {
    std::string name;
    std::vector<Parameter> space;
    std::function<double(const Json&)> loss;
    double margin;  ///< the mean regret must be below this share of random's
};

std::vector<Problem> problems() {
    const auto number = [](const Json& run, const char* key) { return run[key].get<double>(); };
    return {
        {"sphere of 4",
         {ranged("a", Kind::Uniform, -5, 5), ranged("b", Kind::Uniform, -5, 5),
          ranged("c", Kind::Uniform, -5, 5), ranged("d", Kind::Uniform, -5, 5)},
         [=](const Json& run) {
             double sum = 0;
             for (const char* key : {"a", "b", "c", "d"}) sum += std::pow(number(run, key) - 1, 2);
             return sum;
         },
         0.5},
        {"branin",
         {ranged("x", Kind::Uniform, -5, 10), ranged("y", Kind::Uniform, 0, 15)},
         [=](const Json& run) {
             const double pi = std::acos(-1), x = number(run, "x"), y = number(run, "y");
             return std::pow(y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6, 2) +
                    10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10 - 0.397887;
         },
         0.7},
        {"a training's loss: log rate, layers, a word",
         {ranged("lr", Kind::LogUniform, 1e-6, 1), ranged("depth", Kind::IntUniform, 1, 16),
          listed("word", {"good", "bad", "worse", "worst"}), ranged("decay", Kind::Uniform, 0, 1)},
         [=](const Json& run) {
             const std::string word = run["word"];
             const double penalty = word == "good" ? 0 : word == "bad" ? 0.5 : word == "worse" ? 1 : 2;
             return std::pow(std::log10(number(run, "lr")) + 3, 2) +
                    0.02 * std::pow(number(run, "depth") - 7, 2) + penalty +
                    0.3 * std::pow(number(run, "decay") - 0.1, 2);
         },
         0.4},
    };
}

double meanRegret(const Problem& problem, const std::string& method, std::size_t parallel) {
    double sum = 0;
    for (std::int64_t seed = 0; seed < 20; ++seed) {
        Sweep sweep = sweepOver(problem.space, method, 60);
        sweep.seed = seed;
        sum += best(searched(sweep, problem.loss, parallel));
    }
    return sum / 20;
}

TEST(Bayes, FindsBetterRunsThanRandomDrawsWithAsManyRuns) {
    for (const auto& problem : problems()) {
        const double random = meanRegret(problem, "random", 1), tpe = meanRegret(problem, "bayes", 1);
        RecordProperty(problem.name, std::to_string(tpe / random));
        EXPECT_LT(tpe, problem.margin * random) << problem.name << ": random " << random << ", bayes " << tpe;
    }
}

TEST(Bayes, IsWorthItWithSixRunsAtOnceToo) {
    for (const auto& problem : problems()) {
        // all six are drawn before any of their results is known
        const double random = meanRegret(problem, "random", 1), tpe = meanRegret(problem, "bayes", 6);
        EXPECT_LT(tpe, 0.85 * random) << problem.name << ": random " << random << ", bayes " << tpe;
    }
}

TEST(Bayes, DoesNotProposeTheSameRunTwiceAndEndsWhenAllWereTried) {
    const Sweep sweep = sweepOver(
        {ranged("optimizer.warmup_steps", Kind::IntUniform, 1, 6), listed("seed", {1, 2, 3})}, "bayes", 100);
    History history;
    std::set<std::string> seen;
    for (;;) {
        const auto runs = propose(sweep, history, 1);
        if (runs.empty()) break;
        EXPECT_TRUE(seen.insert(runs[0].drawn.dump()).second) << runs[0].name << " again";
        history.push_back({runs[0].drawn, Trial::State::Finished,
                           runs[0].drawn["optimizer.warmup_steps"].get<double>(), 1});
        ASSERT_LE(history.size(), 18u);
    }
    EXPECT_EQ(history.size(), 18u);
}

TEST(Bayes, SpreadsRunsThatAreProposedTogether) {
    const Sweep sweep = sweepOver({ranged("a", Kind::Uniform, 0, 1)}, "bayes", 100);
    History history;
    for (const Json& run : findStrategy("bayes")->draw(sweep, {}, 10))
        history.push_back({run, Trial::State::Finished, std::abs(run["a"].get<double>() - 0.5), 1});
    const auto together = findStrategy("bayes")->draw(sweep, history, 8);
    std::vector<double> values;
    for (const Json& run : together) values.push_back(run["a"]);
    std::sort(values.begin(), values.end());
    EXPECT_GT(values.back() - values.front(), 0.1) << "waiting runs keep the next ones away";
}

TEST(Bayes, LearnsFromADivergedRunAndNotFromALostOne) {
    const Sweep sweep = sweepOver({ranged("a", Kind::Uniform, 0, 1)}, "bayes", 100);
    const auto next = [&](std::optional<double> highEnds) {
        History history;
        for (const Json& run : findStrategy("bayes")->draw(sweep, {}, 24)) {
            const double a = run["a"];
            const bool high = a > 0.5;
            history.push_back({run, high ? Trial::State::Failed : Trial::State::Finished,
                               high ? highEnds : std::optional(1 - a), 1});
        }
        int above = 0;
        for (std::int64_t seed = 0; seed < 40; ++seed) {
            Sweep other = sweep;
            other.seed = seed;
            above += findStrategy("bayes")->draw(other, history, 1)[0]["a"].get<double>() > 0.55;
        }
        return above;
    };
    EXPECT_LT(next(std::numeric_limits<double>::quiet_NaN()), next(std::nullopt))
        << "where runs diverged fewer are tried again than where nothing is known";
}

TEST(Bayes, NeedsAMetricAndARunCap) {
    Sweep sweep = sweepOver({ranged("optimizer.lr", Kind::Uniform, 0, 1)}, "bayes", 4);
    sweep.metric.clear();
    EXPECT_THROW(expand(sweep), InputError);
    sweep.metric = "loss";
    sweep.runCap.reset();
    EXPECT_THROW(expand(sweep), InputError);
}

TEST(Bayes, OnlyTheFirstRunsAreKnownAtLaunchAndTheRestFollow) {
    Sweep sweep = sweepOver({ranged("optimizer.lr", Kind::LogUniform, 1e-4, 1e-1)}, "bayes", 30);
    const auto known = expand(sweep);
    EXPECT_EQ(known.size(), kStartupRuns);
    EXPECT_EQ(runCountOf(sweep), 30u);
    History history;
    for (const auto& run : known) history.push_back({run.drawn, Trial::State::Open, std::nullopt, 0});
    EXPECT_EQ(propose(sweep, history, 100).size(), 20u) << "never more than run_cap";
    sweep.runCap = 3;
    EXPECT_EQ(expand(sweep).size(), 3u);
}

}  // namespace
}  // namespace dailies::sweep
