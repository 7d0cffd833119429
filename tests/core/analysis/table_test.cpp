#include "core/analysis/table.h"

#include "core/tracking/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::analysis {
namespace {

using testing::ElementsAre;

std::shared_ptr<const tracking::Run> runWith(std::map<std::string, std::string> params,
                                             std::map<std::string, double> metrics = {}) {
    auto run = std::make_shared<tracking::Run>();
    for (const auto& [key, value] : params) {
        run->params[key] = value;
    }
    for (const auto& [key, value] : metrics) {
        run->metrics[key] = {1, 1, value};
    }
    return run;
}

Runs runsWithParam(const std::string& key, const std::vector<std::string>& values) {
    Runs runs;
    for (const auto& value : values) {
        runs.push_back(runWith({{key, value}}));
    }
    return runs;
}

Column param(const std::vector<std::string>& values) {
    return columnOf(runsWithParam("p", values), {Field::Source::Param, "p"});
}

TEST(Table, ReadsParamsThatAreNumbersAsNumbers) {
    const Column column = param({"1e-4", "0.5", " 3 ", "+2", "-1"});
    EXPECT_EQ(column.kind, Column::Kind::Number);
    EXPECT_THAT(column.values, ElementsAre(1e-4, 0.5, 3, 2, -1));
}

TEST(Table, TakesNoneAmongNumbersAsMissing) {
    const Column column = param({"1", "None", "", "nan", "2"});
    EXPECT_EQ(column.kind, Column::Kind::Number);
    EXPECT_TRUE(std::isnan(column.values[1]) && std::isnan(column.values[2]) && std::isnan(column.values[3]));
    EXPECT_TRUE(column.varies());
}

TEST(Table, OneWordAmongNumbersMakesCategoriesInTheirNaturalOrder) {
    const Column column = param({"10", "auto", "2", "None"});
    EXPECT_EQ(column.kind, Column::Kind::Category);
    EXPECT_THAT(column.categories, ElementsAre("2", "10", "None", "auto"));
    EXPECT_THAT(column.values, ElementsAre(1, 3, 0, 2));
}

TEST(Table, IsLogarithmicWhenPositiveValuesSpanTwoDecades) {
    EXPECT_TRUE(param({"1e-5", "1e-3"}).logarithmic);
    EXPECT_FALSE(param({"1e-4", "5e-3"}).logarithmic);
    EXPECT_FALSE(param({"0", "1000"}).logarithmic);
    EXPECT_FALSE(param({"a", "1000"}).logarithmic);
}

TEST(Table, IsLinearWhenTheValuesWereDrawnEvenlyThoughTheySpanDecades) {
    std::vector<std::string> even, byDecades;
    for (int i = 1; i <= 200; ++i) {
        even.push_back(std::to_string(i * 0.005));
        byDecades.push_back(std::to_string(std::pow(10.0, -4 + i * 0.02)));
    }
    EXPECT_FALSE(param(even).logarithmic);
    EXPECT_TRUE(param(byDecades).logarithmic);
}

TEST(Table, KeepsInfiniteMetricsApartFromMissingOnes) {
    const Runs runs{runWith({}, {{"loss", INFINITY}}), runWith({}), runWith({}, {{"loss", 0.5}})};
    const Column column = columnOf(runs, {Field::Source::Metric, "loss"});
    EXPECT_TRUE(std::isinf(column.values[0]));
    EXPECT_TRUE(std::isnan(column.values[1]));
}

TEST(Table, MeasuresRunsThatGoOnUpToNow) {
    tracking::Run run;
    run.status = tracking::RunStatus::Running;
    run.startMs = 1000;
    const Runs runs{std::make_shared<const tracking::Run>(run)};
    EXPECT_EQ(columnOf(runs, {Field::Source::Duration}, 4000).values[0], 3000);
    EXPECT_EQ(columnOf(runs, {Field::Source::Start}, 4000).values[0], 1000);
}

TEST(Table, OffersParamsThatDifferAndNoneBecauseARunIsWithoutIt) {
    const Runs runs{runWith({{"same", "1"}, {"differs", "1"}, {"some", "1"}}, {{"loss", 1}}),
                    runWith({{"same", "1"}, {"differs", "2"}}, {{"loss", 1}, {"extra", 1}})};
    const Fields fields = fieldsOf(runs);
    EXPECT_THAT(fields.params, ElementsAre(Field{Field::Source::Param, "differs"}));
    EXPECT_THAT(fields.metrics,
                ElementsAre(Field{Field::Source::Metric, "extra"}, Field{Field::Source::Metric, "loss"}));
}

TEST(Table, FieldsSurviveBeingSaved) {
    for (const Field& field : {Field{Field::Source::Param, "metric:odd 🎬 \n"},
                               Field{Field::Source::Metric, "param:loss"}, Field{Field::Source::Start},
                               Field{Field::Source::Duration}, Field{Field::Source::Param, "start"}}) {
        EXPECT_EQ(fieldFromText(toText(field)), field);
    }
}

TEST(Table, PrefersTheMetricThatJudgesTheResult) {
    const auto metrics = [](std::vector<std::string> keys) {
        std::vector<Field> fields;
        for (auto& key : keys) {
            fields.push_back({Field::Source::Metric, key});
        }
        return fields;
    };
    const auto among = [&](std::vector<std::string> keys) {
        const auto fields = metrics(std::move(keys));
        const Field* field = likelyTarget(fields);
        return field ? field->key : "none";
    };
    EXPECT_EQ(among({"grad_norm", "loss", "sample/adherence"}), "sample/adherence");
    EXPECT_EQ(among({"grad_norm", "loss", "val/loss"}), "val/loss");
    EXPECT_EQ(among({"abc", "xyz"}), "abc");
    EXPECT_EQ(among({}), "none");
}

TEST(Table, JobsThatSampleOrScoreMakeNoParamDiffer) {
    Runs runs{runWith({{"lr", "0.1"}, {"width", "64"}}), runWith({{"lr", "0.2"}, {"width", "64"}})};
    auto sampling = std::make_shared<tracking::Run>(*runWith({{"sampling.guidance", "3"}}, {{"clips", 4}}));
    sampling->tags[tracking::tag::kSampledRun] = "a";
    runs.push_back(sampling);
    const auto fields = fieldsOf(runs);
    EXPECT_THAT(fields.params, ElementsAre(Field{Field::Source::Param, "lr"}));
    EXPECT_THAT(fields.metrics, ElementsAre(Field{Field::Source::Metric, "clips"}));
    EXPECT_EQ(mainRuns(runs).size(), 2U);
    EXPECT_EQ(mainRuns({sampling}).size(), 1U) << "they are all there is to compare";
}

TEST(Table, KnowsAColumnThatOnlyNamesTheRuns) {
    EXPECT_TRUE(param({"/out/a", "/out/b", "/out/c"}).isUniquePerRun());
    EXPECT_FALSE(param({"a", "b", "a"}).isUniquePerRun());
    EXPECT_FALSE(param({"1", "2", "3"}).isUniquePerRun());
}

}  // namespace
}  // namespace dailies::analysis
