#include "core/query/query.h"
#include "tests/core/query/a_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <limits>

// What a filter finds. Whether it is what MLflow finds, tests/interop/query_conformance.py asks MLflow.

namespace {

using namespace dailies;
using query::matches;
using query::parseFilter;
using query::QueryError;
using testing::HasSubstr;

bool finds(std::string_view filter, const tracking::Run& run = test::aRun()) {
    return matches(parseFilter(filter), run);
}

QueryError refusal(std::string_view filter, const query::Vocabulary& known = {}) {
    try {
        parseFilter(filter, known);
    } catch (const QueryError& error) {
        return error;
    }
    ADD_FAILURE() << "accepted: " << filter;
    return {"", "", 0, 0};
}

std::string marked(const std::string& filter) {
    const auto error = refusal(filter);
    return std::string(filter.substr(error.position(), error.length()));
}

TEST(Filter, AnEmptyOneHoldsForEveryRun) {
    EXPECT_TRUE(finds(""));
    EXPECT_TRUE(finds(" \n\t"));
    EXPECT_TRUE(parseFilter("").empty());
}

TEST(Filter, EveryConditionThatIsJoinedByAndMustHold) {
    EXPECT_TRUE(finds("metrics.loss < 0.5 AND params.optimizer.name = 'AdamW' and status = 'FINISHED'"));
    EXPECT_FALSE(finds("metrics.loss < 0.5 AND status = 'FAILED'"));
}

TEST(Filter, TheKindsOfThingsGoByAllTheirNames) {
    for (const char* filter :
         {"metric.loss < 1", "metrics.loss < 1", "param.steps = '2000'", "params.steps = '2000'",
          "parameter.steps = '2000'", "parameters.steps = '2000'", "tag.dailies.task = '3'",
          "tags.dailies.task = '3'", "attr.user_id = 'ada'", "attribute.user_id = 'ada'",
          "attributes.user_id = 'ada'", "run.user_id = 'ada'", "user_id = 'ada'", "created > 5",
          "`run name` = 'lr=0.01'", "name = 'lr=0.01'"})
        EXPECT_TRUE(finds(filter)) << filter;
}

TEST(Filter, KeysWithBlanksGoInAnyQuotes) {
    for (const char* filter :
         {"params.`data folder` = '/data/a_b'", "params.\"data folder\" = '/data/a_b'",
          "params.'data folder' = '/data/a_b'", "metrics.`val/loss` = 0.5", "metrics.val/loss = 0.5"})
        EXPECT_TRUE(finds(filter)) << filter;
}

TEST(Filter, AMissingKeyMatchesNoComparisonNotEvenUnequal) {
    for (const char* comparison :
         {"= 'x'", "!= 'x'", "LIKE '%'", "NOT LIKE 'x'", "NOT IN ('x')", "!= 1", "IS NOT NULL"})
        EXPECT_FALSE(finds("params.nothing " + std::string(comparison))) << comparison;
    EXPECT_TRUE(finds("params.nothing IS NULL"));
    EXPECT_TRUE(finds("NOT params.nothing = 'x'")) << "NOT turns the answer around, whatever its reason";
}

TEST(Filter, ParamsCompareAsNumbersWithNumbersAndAsTextsWithTexts) {
    EXPECT_TRUE(finds("params.optimizer.lr > 1e-4"));
    EXPECT_TRUE(finds("params.optimizer.lr = 0.01")) << "1e-2 is 0.01";
    EXPECT_FALSE(finds("params.optimizer.lr = '0.01'")) << "as a text it is not";
    EXPECT_TRUE(finds("params.steps > 300")) << "2000 is a greater number, though its text comes first";
    EXPECT_TRUE(finds("params.optimizer.lr IN (0.1, 0.01)"));
    EXPECT_TRUE(finds("tags.dailies.task >= 3"));
}

TEST(Filter, AParamThatIsNoNumberMatchesNoNumber) {
    for (const char* comparison : {"< 5", "> 5", "= 5", "!= 5", "NOT IN (5)"})
        EXPECT_FALSE(finds("params.optimizer.name " + std::string(comparison))) << comparison;
    auto run = test::aRun();
    for (const char* value : {"nan", "0x10", "1.5.2", "", " 5", "5 px", "1,5"}) {
        run.params["odd"] = value;
        EXPECT_FALSE(finds("params.odd != 7", run)) << value;
    }
    run.params["odd"] = "inf";
    EXPECT_TRUE(finds("params.odd > 1e308", run));
}

TEST(Filter, NanIsUnequalToEveryNumberAndInfinityIsTheLargest) {
    auto run = test::aRun();
    run.metrics["loss"].value = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(finds("metrics.loss != 0", run));
    EXPECT_FALSE(finds("metrics.loss <= 0", run) || finds("metrics.loss > 0", run) ||
                 finds("metrics.loss = 0", run));
    EXPECT_TRUE(finds("metrics.loss IS NOT NULL", run));
    run.metrics["loss"].value = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(finds("metrics.loss > 1e300", run));
}

TEST(Filter, LikeMindsTheCaseAndILikeDoesNot) {
    EXPECT_TRUE(finds("params.optimizer.name LIKE 'Adam_'"));
    EXPECT_FALSE(finds("params.optimizer.name LIKE 'adam%'"));
    EXPECT_TRUE(finds("params.optimizer.name ILIKE 'aDAM%'"));
    EXPECT_TRUE(finds("params.`data folder` LIKE '%a_b'"));
    EXPECT_FALSE(finds("params.optimizer.name LIKE 'dam'")) << "a pattern is for the whole text";
    EXPECT_TRUE(finds("params.optimizer.name NOT LIKE 'sgd%'"));
}

TEST(Filter, AnUnderscoreStandsForOneCharacterHoweverManyBytes) {
    auto run = test::aRun();
    run.name = "走る🎬";
    EXPECT_TRUE(finds("run_name LIKE '_る_'", run));
    EXPECT_FALSE(finds("run_name LIKE '__る%'", run));
}

TEST(Filter, APatternOfManyPercentSignsIsAnsweredAtOnce) {
    auto run = test::aRun();
    run.name = std::string(8'000, 'a');
    std::string pattern;
    for (int i = 0; i < 2'000; ++i) pattern += "%a";
    EXPECT_FALSE(finds("run_name LIKE '" + pattern + "%b'", run));
    EXPECT_TRUE(finds("run_name LIKE '" + pattern + "'", run));
}

TEST(Filter, NotBindsBeforeAndAndAndBeforeOr) {
    EXPECT_TRUE(finds("status = 'FINISHED' OR status = 'FAILED' AND metrics.loss > 9"));
    EXPECT_FALSE(finds("(status = 'FINISHED' OR status = 'FAILED') AND metrics.loss > 9"));
    EXPECT_FALSE(finds("NOT status = 'FINISHED' AND metrics.loss < 9"));
    EXPECT_TRUE(finds("NOT (status = 'FINISHED' AND metrics.loss > 9)"));
    EXPECT_TRUE(finds("NOT NOT status = 'FINISHED'"));
}

TEST(Filter, ListsTakeEveryKindOfValue) {
    EXPECT_TRUE(finds("status IN ('FINISHED', \"FAILED\")"));
    EXPECT_TRUE(finds("status NOT IN ('KILLED')"));
    EXPECT_TRUE(finds("metrics.loss IN (0.25, 1,)"));
    EXPECT_FALSE(finds("run_id NOT IN ('0123456789abcdef0123456789abcdef')"));
}

TEST(Filter, ARunThatGoesOnHasNoEnd) {
    auto run = test::aRun();
    run.endMs.reset();
    EXPECT_TRUE(finds("end_time IS NULL", run));
    EXPECT_FALSE(finds("end_time != 5", run));
    EXPECT_TRUE(finds("end_time >= 1700000060000"));
}

TEST(Filter, TimesAreLocalOnesInQuotesOrMilliseconds) {
    ::setenv("TZ", "Asia/Tokyo", 1);  // 9 hours ahead; 1,700,000,000 s is 2023-11-15 07:13:20 there
    ::tzset();
    EXPECT_TRUE(finds("start_time >= '2023-11-15'"));
    EXPECT_TRUE(finds("start_time > '2023-11-15 07:13' AND start_time < '2023-11-15T07:14'"));
    EXPECT_TRUE(finds("start_time = '2023-11-15 07:13:20' AND start_time = 1700000000000"));
    EXPECT_FALSE(finds("end_time < '2023-11-15 07:00'"));
    for (const char* wrong :
         {"'yesterday'", "'2023-11-31'", "'2023-13-01'", "'2023-11-15 25:00'", "''", "'5'"}) {
        EXPECT_EQ(marked("start_time > " + std::string(wrong)), wrong);
        EXPECT_THAT(refusal("start_time > " + std::string(wrong)).remedy(), HasSubstr("'2026-07-01 14:30'"));
    }
}

TEST(Filter, QuotesInsideATextAreTakenAsTheyStand) {
    auto run = test::aRun();
    run.tags["note"] = "it's";
    EXPECT_TRUE(finds("tags.note = \"it's\"", run));
    run.tags["note"] = "a''b";
    EXPECT_TRUE(finds("tags.note = 'a''b'", run)) << "MLflow keeps a doubled quote doubled";
    run.tags["note"] = "C:\\";
    EXPECT_TRUE(finds("tags.note = 'C:\\'", run));
}

TEST(Filter, NoBreakSpacesOfPastedTextAreBlanks) {
    EXPECT_TRUE(finds("metrics.loss\u00a0<\u00a01\u3000AND status = 'FINISHED'"));
}

TEST(Filter, AnErrorPointsAtTheCharactersThatAreWrong) {
    EXPECT_EQ(marked("metrics.loss < 'low' AND status = 'x'"), "'low'");
    EXPECT_EQ(marked("status = 'x' AND colour = 'y'"), "colour");
    EXPECT_EQ(marked("status = 'x' AND run.colour = 'y'"), "colour");
    EXPECT_EQ(marked("metrics.loss =< 1"), "=<");
    EXPECT_EQ(marked("metrics.loss < 1.0.0"), "1.0.0");
    EXPECT_EQ(marked("mertics.loss < 1"), "mertics");
    EXPECT_EQ(marked("metrics.loss LIKE 'x'"), "LIKE");
    EXPECT_EQ(marked("params.lr > '0.1'"), "'0.1'");
    EXPECT_EQ(marked("status > 'A'"), "'A'");
    EXPECT_EQ(marked("params.lr IN ('a', 1)"), "1");
    EXPECT_EQ(marked("metrics.loss < 1;"), ";");
    EXPECT_EQ(marked("tags.`a b = 'x'"), "`a b = 'x'");
    EXPECT_EQ(marked("(status = 'x'"), "(");
    EXPECT_EQ(marked("status = 'x')"), ")");
    EXPECT_EQ(marked("datasets.name = 'x'"), "datasets.name");
    EXPECT_EQ(marked("1 < metrics.loss"), "1");
    const auto atEnd = refusal("metrics.loss <");
    EXPECT_EQ(atEnd.position(), 14u);
    EXPECT_EQ(atEnd.length(), 0u);
}

TEST(Filter, AnErrorSaysWhatWasFoundAndWhatIsAccepted) {
    const auto error = refusal("metrics.loss < 'low'");
    EXPECT_THAT(error.what(), HasSubstr("number"));
    EXPECT_THAT(error.remedy(), HasSubstr("1e-4"));
    EXPECT_THAT(refusal("metrics.loss").what(), HasSubstr("the end of the text"));
    EXPECT_THAT(refusal("params.lr > '0.1'").remedy(), HasSubstr("quotes away"));
    EXPECT_THAT(refusal("status = FINISHED").remedy(), HasSubstr("'FINISHED'"));
    EXPECT_THAT(refusal("name = 'a' 'b'").what(), HasSubstr("found 'b'."));
    EXPECT_THAT(refusal("OR status = 'x'").what(), HasSubstr("before OR"));
    EXPECT_THAT(refusal("status = 'x' OR").what(), HasSubstr("after OR"));
    EXPECT_THAT(refusal("status = \x01").what(), testing::Not(HasSubstr("\x01")))
        << "no control characters for a terminal";
}

TEST(Filter, AnErrorProposesWhatWasProbablyMeant) {
    const auto known = query::vocabularyOf({test::aRun()});
    EXPECT_THAT(refusal("Metrics.loss < 1").remedy(), HasSubstr("Did you mean metrics?"));
    EXPECT_THAT(refusal("statsu = 'x'").remedy(), HasSubstr("Did you mean status?"));
    EXPECT_THAT(refusal("loss < 1", known).remedy(), HasSubstr("Did you mean metrics.loss?"));
    EXPECT_THAT(refusal("optimizer.lr < 1", known).remedy(), HasSubstr("Did you mean params.optimizer.lr?"));
    EXPECT_THAT(refusal("optimiser.lr < 1", known).remedy(), HasSubstr("Did you mean params.optimizer.lr?"));
    EXPECT_THAT(refusal("steps < 1", known).remedy(), HasSubstr("Did you mean params.steps?"));
}

TEST(Filter, KeysThatNoRunHasAreNamedWithTheNearestOne) {
    const auto known = query::vocabularyOf({test::aRun()});
    const std::string text =
        "metrics.los < 1 AND (params.loss = 'x' OR metrics.loss > 0) AND tags.new IS NULL";
    const auto unknown = query::unknownKeys(parseFilter(text), known);
    ASSERT_EQ(unknown.size(), 2u) << "who asks IS NULL knows that runs may lack it";
    EXPECT_THAT(unknown[0].message, HasSubstr("did you mean metrics.loss?"));
    EXPECT_EQ(text.substr(unknown[0].position, unknown[0].length), "metrics.los");
    EXPECT_THAT(unknown[1].message, HasSubstr("did you mean metrics.loss?")) << "it is a metric, no param";
}

TEST(Filter, AShortNameStandsForTheKeyThatEndsInItWhereThereIsOne) {
    auto run = test::aRun();
    run.params["optimizer.schedule.warm up"] = "5";
    run.metrics["eval.fvd"] = {100, 0, 7};
    const auto known = query::vocabularyOf({run});
    for (const char* filter : {"params.lr = 0.01", "param.lr > 1e-3", "params.`lr` < 1",
                               "params.'warm up' = 5", "params.`schedule.warm up` = 5", "metrics.fvd = 7",
                               "params.lr IS NOT NULL", "NOT params.lr > 1", "params.lr IN (0.01, 2)"})
        EXPECT_TRUE(matches(parseFilter(filter, known), run)) << filter;
    for (const char* filter :
         {"params.r > 0", "params.optimizer > 0", "params.up = 5", "metrics.lr > 0", "tags.task = '3'"})
        EXPECT_FALSE(matches(parseFilter(filter, known), run)) << filter;
    EXPECT_FALSE(finds("params.lr = 0.01", run)) << "MLflow's meaning where no keys are known";
}

TEST(Filter, AKeyThatIsThereIsMeantHoweverManyEndInIt) {
    auto run = test::aRun();
    run.params["lr"] = "7";
    run.params["scheduler.lr"] = "8";
    const auto known = query::vocabularyOf({run});
    EXPECT_TRUE(matches(parseFilter("params.lr = 7", known), run));
    run.params = {{"scheduler.lr", "8"}};
    EXPECT_FALSE(matches(parseFilter("params.lr IS NOT NULL", known), run)) << "another run has it";
}

TEST(Filter, AShortNameOfSeveralKeysIsRefusedWithThem) {
    auto run = test::aRun();
    run.params["scheduler.lr"] = "8";
    const auto known = query::vocabularyOf({run});
    const auto error = refusal("status = 'x' AND params.lr > 0", known);
    EXPECT_THAT(error.what(), HasSubstr("\"lr\" is short for 2 params"));
    EXPECT_THAT(error.remedy(), HasSubstr("Did you mean params.optimizer.lr or params.scheduler.lr?"));
    EXPECT_EQ(error.position(), 17u);
    EXPECT_EQ(error.length(), 9u);
    EXPECT_TRUE(matches(parseFilter("params.scheduler.lr > 0", known), run));
    for (int i = 0; i < 20; ++i) run.params["group" + std::to_string(i) + ".lr"] = "1";
    EXPECT_LT(refusal("params.lr > 0", query::vocabularyOf({run})).remedy().size(), 200u);
}

TEST(Filter, AShortNameThatIsMisspeltOrLacksItsEntityIsAnsweredWithTheWholeKey) {
    auto run = test::aRun();
    run.metrics["lr"] = {100, 0, 0.01};
    run.params["optimizer.weight_decay"] = "0.1";
    const auto known = query::vocabularyOf({run});
    const auto unknown = query::unknownKeys(
        parseFilter("params.weight_deca > 0 AND params.optimizr.lr > 0 AND params.lr > 0", known), known);
    ASSERT_EQ(unknown.size(), 2u);
    EXPECT_THAT(unknown[0].message, HasSubstr("did you mean params.optimizer.weight_decay?"));
    EXPECT_THAT(unknown[1].message, HasSubstr("did you mean params.optimizer.lr?"));
    EXPECT_THAT(query::unknownKeys(parseFilter("params.lr > 0"), known).at(0).message,
                HasSubstr("did you mean params.optimizer.lr?"))
        << "the param that ends in it is nearer than the metric of this name";
    EXPECT_THAT(refusal("weight_decay < 1", known).remedy(),
                HasSubstr("Did you mean params.optimizer.weight_decay?"));
    EXPECT_THAT(refusal("weight_deca < 1", known).remedy(),
                HasSubstr("Did you mean params.optimizer.weight_decay?"));
}

TEST(Filter, WhatIsWrittenOfAFieldAndATextReadsBackAsTheSame) {
    auto run = test::aRun();
    for (const char* key : {"plain", "a.b", "a b", "val/loss", "in", "x.from", "1st", "a`b", "a\"b", "it's",
                            "\"ab\"", "é", "走る", "a.", ".a", "a..b", "50%", "x=1", "a\nb"}) {
        const query::Field field{query::Entity::Tag, key, {}};
        const std::string name = query::formatField(field);
        ASSERT_NE(name, "") << key;
        for (const char* value : {"plain", "it's", "say \"hi\"", "a''b", "", " ", "C:\\data", "走る", "%"}) {
            run.tags = {{key, value}};
            EXPECT_TRUE(finds(name + " = " + query::quoteValue(value) + " AND status = 'FINISHED'", run))
                << name << " = " << query::quoteValue(value);
        }
    }
    EXPECT_EQ(query::formatField({query::Entity::Param, "optimizer.lr", {}}), "params.optimizer.lr");
    EXPECT_EQ(query::quoteValue("both ' and \""), "") << "MLflow's language has no way to write it";
    EXPECT_EQ(query::quoteValue("C:\\"), "");
}

}  // namespace
