#include "core/analysis/importance.h"

#include "core/analysis/forest.h"
#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <thread>

namespace dailies::analysis {
namespace {

constexpr double kPi = std::numbers::pi;

Column numbers(const std::string& key, std::vector<double> values) {
    return {.field = {Field::Source::Param, key}, .values = std::move(values)};
}

Column categories(const std::string& key, std::vector<double> values, std::vector<std::string> names) {
    Column column = numbers(key, std::move(values));
    column.kind = Column::Kind::Category;
    column.categories = std::move(names);
    return column;
}

std::vector<double> uniform(std::size_t count, double low, double high, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> distribution(low, high);
    std::vector<double> values(count);
    for (double& value : values) {
        value = distribution(random);
    }
    return values;
}

Column target(std::vector<double> values) {
    return {.field = {Field::Source::Metric, "loss"}, .values = std::move(values)};
}

std::map<std::string, Importance> byKey(const ImportanceReport& report) {
    std::map<std::string, Importance> result;
    for (const auto& param : report.params) {
        result[param.field.key] = param;
    }
    return result;
}

TEST(Importance, OfAnAdditiveFunctionAreItsSobolIndices) {
    // y = 4a + 2b + c over [0, 1]: the variances are to one another as 16 : 4 : 1.
    constexpr std::size_t n = 3'000;
    const auto a = uniform(n, 0, 1, 1), b = uniform(n, 0, 1, 2), c = uniform(n, 0, 1, 3),
               d = uniform(n, 0, 1, 4);
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) {
        y[i] = 4 * a[i] + 2 * b[i] + c[i];
    }
    const auto report =
        importanceOf({numbers("d", d), numbers("c", c), numbers("b", b), numbers("a", a)}, target(y));
    auto found = byKey(report);
    EXPECT_NEAR(found["a"].share, 16.0 / 21, 0.06);
    EXPECT_NEAR(found["b"].share, 4.0 / 21, 0.04);
    EXPECT_NEAR(found["c"].share, 1.0 / 21, 0.02);
    EXPECT_NEAR(found["d"].share, 0, 0.005);
    EXPECT_EQ(report.params.front().field.key, "a");
    EXPECT_EQ(report.params.back().field.key, "d");
    EXPECT_GT(report.explained, 0.97);
    EXPECT_GT(found["a"].direction.rho, 0.7);
}

TEST(Importance, OfTheIshigamiFunctionAreItsTotalSobolIndices) {
    // sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1 over [−π, π]³; totals 0.558, 0.442, 0.244 (Ishigami & Homma 1990).
    constexpr std::size_t n = 5'000;
    const auto x1 = uniform(n, -kPi, kPi, 1), x2 = uniform(n, -kPi, kPi, 2), x3 = uniform(n, -kPi, kPi, 3);
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) {
        y[i] =
            std::sin(x1[i]) + 7 * std::pow(std::sin(x2[i]), 2) + 0.1 * std::pow(x3[i], 4) * std::sin(x1[i]);
    }
    const auto report = importanceOf({numbers("x1", x1), numbers("x2", x2), numbers("x3", x3)}, target(y));
    auto found = byKey(report);
    // A tree's leaf averages over x1's steep interaction with x3, which takes from both their shares.
    EXPECT_NEAR(found["x1"].share, 0.558, 0.1);
    EXPECT_NEAR(found["x2"].share, 0.442, 0.06);
    EXPECT_NEAR(found["x3"].share, 0.244, 0.05);
}

TEST(Importance, OfNoiseIsNotCertainAndExplainsNothing) {
    constexpr std::size_t n = 80;
    std::vector<Column> params;
    for (unsigned p = 0; p < 6; ++p) {
        params.push_back(numbers("p" + std::to_string(p), uniform(n, 0, 1, p + 1)));
    }
    const auto report = importanceOf(params, target(uniform(n, 0, 1, 100)));
    EXPECT_LT(report.explained, 0.1);
    const auto certain = std::count_if(report.params.begin(), report.params.end(),
                                       [](const auto& p) { return p.isSignificant(); });
    EXPECT_LE(certain, 1);
}

TEST(Importance, StandardErrorIsOfTheSizeOfTheSpreadOverNewRuns) {
    // The same experiment made anew with other runs: how far the share really scatters.
    std::vector<double> shares, errors;
    for (unsigned trial = 0; trial < 24; ++trial) {
        constexpr std::size_t n = 60;
        const auto a = uniform(n, 0, 1, 10 * trial + 1), b = uniform(n, 0, 1, 10 * trial + 2);
        const auto noise = uniform(n, -0.5, 0.5, 10 * trial + 3);
        std::vector<double> y(n);
        for (std::size_t i = 0; i < n; ++i) {
            y[i] = 2 * a[i] + b[i] + noise[i];
        }
        auto found = byKey(importanceOf({numbers("a", a), numbers("b", b)}, target(y), {.trees = 100}));
        shares.push_back(found["a"].share);
        errors.push_back(found["a"].error);
    }
    const auto mean = [](const std::vector<double>& v) {
        double sum = 0;
        for (const double x : v) {
            sum += x / static_cast<double>(v.size());
        }
        return sum;
    };
    double variance = 0;
    for (const double share : shares) {
        variance += std::pow(share - mean(shares), 2) / static_cast<double>(shares.size() - 1);
    }
    EXPECT_GT(mean(errors), 0.5 * std::sqrt(variance));
    EXPECT_LT(mean(errors), 2.5 * std::sqrt(variance));
}

TEST(Importance, FindsACategoryAndNamesTheHighest) {
    constexpr std::size_t n = 120;
    std::vector<double> optimizer(n), y(n);
    const auto noise = uniform(n, 0, 0.1, 5), other = uniform(n, 0, 1, 6);
    // The middle index alone is different: no threshold on the index could tell it apart at once.
    for (std::size_t i = 0; i < n; ++i) {
        optimizer[i] = static_cast<double>(i % 3);
        y[i] = (i % 3 == 1 ? 1.0 : 0.0) + noise[i];
    }
    const auto report = importanceOf(
        {numbers("other", other), categories("optimizer", optimizer, {"adam", "lion", "sgd"})}, target(y));
    EXPECT_EQ(report.params.front().field.key, "optimizer");
    EXPECT_EQ(report.params.front().highestWith, "lion");
    EXPECT_TRUE(std::isnan(report.params.front().direction.rho));
    EXPECT_GT(report.params.front().share, 0.8);
}

TEST(Importance, LearnsFromWhetherAParamIsThereAtAll) {
    constexpr std::size_t n = 100;
    auto momentum = uniform(n, 0.5, 0.99, 1);
    const auto other = uniform(n, 0, 1, 2);
    std::vector<double> y(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 2 == 0) {
            momentum[i] = kMissing;
        }
        y[i] = (i % 2 == 0 ? 1.0 : 0.0) + 0.01 * other[i];
    }
    const auto report = importanceOf({numbers("momentum", momentum), numbers("other", other)}, target(y));
    EXPECT_EQ(report.params.front().field.key, "momentum");
    EXPECT_GT(report.explained, 0.9);
}

TEST(Importance, IsTheSameOnAnyNumberOfThreads) {
    constexpr std::size_t n = 300;
    const auto a = uniform(n, 0, 1, 1), b = uniform(n, 0, 1, 2), y = uniform(n, 0, 1, 3);
    const auto one = importanceOf({numbers("a", a), numbers("b", b)}, target(y), {.threads = 1});
    const auto four = importanceOf({numbers("a", a), numbers("b", b)}, target(y), {.threads = 4});
    const auto otherSeed = importanceOf({numbers("a", a), numbers("b", b)}, target(y), {.seed = 2});
    EXPECT_EQ(one.explained, four.explained);
    EXPECT_EQ(one.params[0].share, four.params[0].share);
    EXPECT_EQ(one.params[0].error, four.params[0].error);
    EXPECT_NE(one.explained, otherSeed.explained);
}

TEST(Importance, LeavesOutRunsWithoutAFiniteTargetAndCountsThem) {
    auto y = uniform(20, 0, 1, 3);
    y[3] = NAN;
    y[4] = INFINITY;
    const auto report = importanceOf({numbers("a", uniform(20, 0, 1, 1))}, target(y));
    EXPECT_EQ(report.runs, 18U);
    EXPECT_EQ(report.runsLeftOut, 2U);
}

TEST(Importance, SetsAsideParamsThatOnlyNameTheRun) {
    constexpr std::size_t n = 30;
    std::vector<double> index(n);
    std::vector<std::string> names(n);
    for (std::size_t i = 0; i < n; ++i) {
        index[i] = static_cast<double>(i);
        names[i] = "/out/" + std::to_string(i);
    }
    const auto report = importanceOf({numbers("a", uniform(n, 0, 1, 1)), categories("folder", index, names)},
                                     target(uniform(n, 0, 1, 2)));
    EXPECT_EQ(report.setAside, (std::vector<Field>{{Field::Source::Param, "folder"}}));
    EXPECT_EQ(report.params.size(), 1U);
}

TEST(Importance, RefusesWithAReasonWhatCannotBeTold) {
    const auto reason = [](const std::vector<Column>& params, const Column& y) -> std::string {
        try {
            importanceOf(params, y);
        } catch (const InputError& error) {
            return error.full();
        }
        return "told";
    };
    const auto a = uniform(20, 0, 1, 1);
    EXPECT_THAT(reason({numbers("a", uniform(7, 0, 1, 1))}, target(uniform(7, 0, 1, 2))),
                testing::AllOf(testing::HasSubstr("7 runs"), testing::HasSubstr("at least 8")));
    EXPECT_THAT(reason({numbers("a", a)}, target(std::vector<double>(20, 0.5))),
                testing::HasSubstr("same value of 'loss'"));
    EXPECT_THAT(reason({numbers("a", std::vector<double>(20, 1))}, target(a)),
                testing::HasSubstr("No param differs"));
    EXPECT_THAT(reason({}, target({})), testing::HasSubstr("0 runs"));
}

TEST(Importance, StopsSoonAfterItIsAskedTo) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(importanceOf({numbers("a", uniform(50, 0, 1, 1))}, target(uniform(50, 0, 1, 2)), {},
                              stop.get_token()),
                 Cancelled);
}

TEST(Forest, PutsMoreThanSixtyThreeCategoriesIntoOneBinOfRareOnes) {
    std::vector<double> values;
    for (int i = 0; i < 200; ++i) {
        values.push_back(i % 2 == 0 ? 150 : i);
    }
    const auto column = binCategories(values, 200);
    EXPECT_EQ(column.bins[0], 1);  // the most frequent
    EXPECT_EQ(*std::max_element(column.bins.begin(), column.bins.end()), kMaxCategories);
}

TEST(Forest, KeepsTheOrderOfManyNumbersInItsBins) {
    const auto values = uniform(5'000, -1, 1, 1);
    const auto column = binNumbers(values);
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (values[i - 1] < values[i]) {
            EXPECT_LE(column.bins[i - 1], column.bins[i]);
        }
    }
    EXPECT_EQ(*std::max_element(column.bins.begin(), column.bins.end()), 255);
    EXPECT_EQ(*std::min_element(column.bins.begin(), column.bins.end()), 1);
}

}  // namespace
}  // namespace dailies::analysis
