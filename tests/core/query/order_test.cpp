#include "core/query/query.h"
#include "tests/core/query/a_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace dailies;
using query::parseOrderBy;
using query::QueryError;
using testing::ElementsAre;

/// The names of `runs` in that order.
std::vector<std::string> ordered(std::string_view orderBy, std::vector<tracking::Run> runs) {
    query::sortRuns(runs, parseOrderBy(orderBy));
    std::vector<std::string> names;
    for (const auto& run : runs) names.push_back(run.name);
    return names;
}

tracking::Run named(const std::string& name, std::int64_t startMs = 0) {
    tracking::Run run;
    run.id = name;
    run.name = name;
    run.startMs = startMs;
    return run;
}

TEST(OrderBy, WithoutOneTheNewestRunComesFirstAndTheIdDecides) {
    EXPECT_THAT(ordered("", {named("b", 1), named("a", 1), named("c", 2)}), ElementsAre("c", "a", "b"));
}

TEST(OrderBy, AShortNameStandsForTheKeyThatEndsInIt) {
    const auto known = query::vocabularyOf({test::aRun()});
    EXPECT_EQ(parseOrderBy("number(params.lr) DESC", known).at(0).field.key, "optimizer.lr");
    EXPECT_THROW(parseOrderBy("params.lr, params.optimizer.lr", known), QueryError) << "one field twice";
}

TEST(OrderBy, RunsWithoutTheMetricComeLastInBothDirectionsAfterNan) {
    std::vector<tracking::Run> runs = {named("none"), named("nan"), named("low"), named("high"),
                                       named("infinite")};
    runs[1].metrics["loss"].value = std::numeric_limits<double>::quiet_NaN();
    runs[2].metrics["loss"].value = -1;
    runs[3].metrics["loss"].value = 2;
    runs[4].metrics["loss"].value = std::numeric_limits<double>::infinity();
    EXPECT_THAT(ordered("metrics.loss", runs), ElementsAre("low", "high", "infinite", "nan", "none"));
    EXPECT_THAT(ordered("metrics.loss DESC", runs), ElementsAre("infinite", "high", "low", "nan", "none"));
}

TEST(OrderBy, ParamsGoByTheirTextOrOnRequestByTheirNumber) {
    std::vector<tracking::Run> runs = {named("9"), named("10"), named("1e-4"), named("word"), named("none")};
    for (auto& run : runs)
        if (run.name != "none") run.params["lr"] = run.name;
    EXPECT_THAT(ordered("params.lr ASC", runs), ElementsAre("10", "1e-4", "9", "word", "none"));
    EXPECT_THAT(ordered("number(params.lr)", runs), ElementsAre("1e-4", "9", "10", "word", "none"));
    EXPECT_THAT(ordered("NUMBER(params.`lr`) desc", runs), ElementsAre("10", "9", "1e-4", "word", "none"));
}

TEST(OrderBy, SeveralFieldsDecideOneAfterAnother) {
    std::vector<tracking::Run> runs = {named("a", 1), named("b", 2), named("c", 3)};
    runs[0].tags["team"] = runs[2].tags["team"] = "red";
    runs[1].tags["team"] = "blue";
    EXPECT_THAT(ordered("tags.team DESC, start_time", runs), ElementsAre("a", "c", "b"));
    EXPECT_THAT(ordered("tags.team, start_time DESC", runs), ElementsAre("b", "c", "a"));
}

TEST(OrderBy, AttributesGoByAllTheirNames) {
    const std::vector<tracking::Run> runs = {named("b", 1), named("a", 2)};
    for (const char* field : {"run_name", "name", "attributes.run_name", "`Run Name`", "start_time DESC",
                              "created desc", "run_id"})
        EXPECT_THAT(ordered(field, runs), ElementsAre("a", "b")) << field;
}

TEST(OrderBy, NonsenseIsPointedAt) {
    const auto marked = [](std::string_view text) {
        try {
            parseOrderBy(text);
        } catch (const QueryError& error) {
            return std::string(text.substr(error.position(), error.length()));
        }
        return "accepted: " + std::string(text);
    };
    EXPECT_EQ(marked("metrics.loss DESC, colour"), "colour");
    EXPECT_EQ(marked("metrics.loss DOWN"), "DOWN");
    EXPECT_EQ(marked("metrics.loss DESC NULLS LAST"), "NULLS");
    EXPECT_EQ(marked("metrics.loss,"), "");
    EXPECT_EQ(marked("metrics.loss, metric.loss DESC"), "metric.loss")
        << "MLflow refuses a field that stands twice";
    EXPECT_EQ(marked("number(params.lr DESC"), "DESC");
    EXPECT_EQ(marked("datasets.name"), "datasets.name");
}

}  // namespace
