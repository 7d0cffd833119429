#include "core/query/completion.h"

#include "core/query/query.h"
#include "tests/core/query/a_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace dailies;
using query::Candidate;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

const query::Vocabulary& known() {
    static const auto vocabulary = [] {
        auto first = test::aRun(), second = test::aRun();
        second.params["optimizer.name"] = "sgd";
        second.params["optimizer.lr"] = "0.1";
        second.tags["note"] = "both ' and \"";
        return query::vocabularyOf({first, second, second});
    }();
    return vocabulary;
}

/// The candidates where "|" stands in the text.
std::vector<std::string> offered(std::string text) {
    const auto cursor = text.find('|');
    text.erase(cursor, 1);
    std::vector<std::string> texts;
    for (const auto& candidate : query::complete(text, cursor, known()).candidates)
        texts.push_back(candidate.text);
    return texts;
}

/// The text after the first candidate was taken.
std::string taken(std::string text) {
    const auto cursor = text.find('|');
    text.erase(cursor, 1);
    const auto made = query::complete(text, cursor, known());
    if (made.candidates.empty()) return "nothing offered";
    return text.replace(made.replaceFrom, made.replaceTo - made.replaceFrom, made.candidates.front().text);
}

TEST(Completion, AnEmptyTextOffersWhatAConditionBeginsWith) {
    EXPECT_THAT(offered("|"),
                testing::IsSupersetOf({"metrics.", "params.", "tags.", "status", "run_name", "start_time"}));
}

TEST(Completion, AWordFindsKeysOfEveryKindWithoutTheirEntity) {
    EXPECT_THAT(offered("los|"), ElementsAre("metrics.loss", "metrics.`val/loss`"));
    EXPECT_THAT(offered("LR|"), Contains("params.optimizer.lr"))
        << "without regard to case, at the key's last part";
    EXPECT_THAT(offered("sta|"), ElementsAre("status", "start_time"));
}

TEST(Completion, AfterAnEntityItsKeysFollowTheOnesThatBeginSoFirst) {
    EXPECT_THAT(offered("metrics.|"), ElementsAre("metrics.loss", "metrics.`val/loss`"));
    EXPECT_THAT(offered("params.o|"),
                ElementsAre("params.optimizer.lr", "params.optimizer.name", "params.`data folder`"));
    EXPECT_THAT(offered("param.`data|"), ElementsAre("params.`data folder`"));
    EXPECT_THAT(offered("nonsense.o|"), IsEmpty());
}

TEST(Completion, OperatorsFitTheField) {
    EXPECT_THAT(offered("metrics.loss |"), testing::AllOf(Contains("<"), Not(Contains("LIKE"))));
    EXPECT_THAT(offered("params.optimizer.name |"), testing::AllOf(Contains("LIKE"), Not(Contains("<"))));
    EXPECT_EQ(offered("params.optimizer.lr |").front(), "<") << "its values are numbers";
    EXPECT_THAT(offered("metrics.loss <|"), ElementsAre("<", "<="));
    EXPECT_THAT(offered("params.x IS |"), ElementsAre("NULL", "NOT NULL"));
    EXPECT_THAT(offered("params.x NOT |"), ElementsAre("IN", "LIKE", "ILIKE"));
}

TEST(Completion, ValuesAreThoseThatRunsHaveTheMostFrequentFirst) {
    EXPECT_THAT(offered("params.optimizer.name = |"), ElementsAre("'sgd'", "'AdamW'"));
    EXPECT_THAT(offered("params.optimizer.name = ada|"), ElementsAre("'AdamW'"))
        << "quotes come by themselves";
    EXPECT_THAT(offered("params.optimizer.lr > |"), ElementsAre("0.1", "1e-2")) << "compared as numbers";
    EXPECT_THAT(offered("status = '|"), Contains("'FAILED'"));
    EXPECT_THAT(offered("tags.dailies.sweep_name = |"), ElementsAre("'lr sweep'"));
    EXPECT_THAT(offered("experiment IN ('moving-shapes', |"), ElementsAre("'moving-shapes'"));
    EXPECT_THAT(offered("tags.note = |"), IsEmpty()) << "no quotes can hold that value";
}

TEST(Completion, AConditionIsFollowedByTheNextOne) {
    EXPECT_THAT(offered("metrics.loss < 1 |"), ElementsAre("AND", "OR"));
    EXPECT_THAT(offered("(metrics.loss < 1 |"), ElementsAre("AND", "OR", ")"));
    EXPECT_THAT(offered("status IN ('FAILED' |"), ElementsAre(",", ")"));
    EXPECT_THAT(offered("metrics.loss < 1 AND sta|"), ElementsAre("status", "start_time"));
}

TEST(Completion, ACandidateReplacesTheWordItStandsInAndNothingElse) {
    EXPECT_EQ(taken("los|s < 1 AND status = 'FAILED'"), "metrics.loss < 1 AND status = 'FAILED'");
    EXPECT_EQ(taken("status = 'FIN|' AND metrics.loss < 1"), "status = 'FINISHED' AND metrics.loss < 1");
    EXPECT_EQ(taken("status = 'FIN| AND params.x = 'a'"), "status = 'FINISHED' AND params.x = 'a'")
        << "a quote that is still open takes nothing in";
    EXPECT_EQ(taken("params.x = 'a' A|"), "params.x = 'a' AND");
}

TEST(Completion, WhatIsTakenStepByStepIsAFilterThatFindsTheRun) {
    std::string text;
    for (const char* typed : {"optimizer.n", "=", "ada", "AND", "val", "<"}) {
        text += typed + std::string("|");
        text = taken(text) + " ";
    }
    EXPECT_EQ(text, "params.optimizer.name = 'AdamW' AND metrics.`val/loss` < ");
    EXPECT_TRUE(query::matches(query::parseFilter(text + "1"), test::aRun()));
}

TEST(Completion, NoMoreAreOfferedThanWereAskedFor) {
    query::Vocabulary many;
    for (int i = 0; i < 10'000; ++i) many.metrics.push_back("metric " + std::to_string(100'000 + i));
    EXPECT_EQ(query::complete("metrics.1", 9, many, 12).candidates.size(), 12u);
}

}  // namespace
