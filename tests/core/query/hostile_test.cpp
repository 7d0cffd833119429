#include "core/query/completion.h"
#include "core/query/query.h"
#include "tests/core/query/a_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

// Texts that nobody writes on purpose: an answer or a message, always soon, never a crash.

namespace {

using namespace dailies;

/// Parses, matches, completes and reports as the program does with whatever a person pasted.
void tryEverything(const std::string& text) {
    static const auto run = test::aRun();
    static const auto known = query::vocabularyOf({run});
    try {
        const auto filter = query::parseFilter(text, known);
        query::matches(filter, run);
        query::unknownKeys(filter, known);
    } catch (const query::QueryError& error) {
        EXPECT_STRNE(error.what(), "");
        EXPECT_LE(error.position() + error.length(), text.size());
        query::caretSnippet(text, error.position(), error.length());
    }
    try {
        query::parseOrderBy(text, known);
    } catch (const query::QueryError&) {
    }
    for (const auto cursor : {std::size_t{0}, text.size() / 2, text.size()}) {
        const auto made = query::complete(text, cursor, known);
        EXPECT_LE(made.replaceFrom, made.replaceTo);
        EXPECT_LE(made.replaceTo, text.size());
    }
}

TEST(Hostile, RandomBytesGetAnAnswerOrAMessage) {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        std::string text(random() % 60, ' ');
        for (char& c : text) c = static_cast<char>(random());
        tryEverything(text);
    }
}

TEST(Hostile, RandomWordsOfTheLanguageGetAnAnswerOrAMessage) {
    const std::vector<std::string> words = {"metrics.loss",
                                            "params.optimizer.lr",
                                            "tags.",
                                            "status",
                                            ".",
                                            "`",
                                            "'",
                                            "\"",
                                            "(",
                                            ")",
                                            ",",
                                            "AND",
                                            "OR",
                                            "NOT",
                                            "IN",
                                            "IS",
                                            "=",
                                            "<=",
                                            "NULL",
                                            "1",
                                            "1e-3",
                                            "'x'",
                                            " ",
                                            "LIKE",
                                            "\\",
                                            "number",
                                            "DESC",
                                            "\xff",
                                            "é",
                                            "\0",
                                            "--",
                                            ";",
                                            "-",
                                            "'%'"};
    std::mt19937 random(2);
    for (int i = 0; i < 20'000; ++i) {
        std::string text;
        for (auto count = random() % 12; count > 0; --count)
            text += words[random() % words.size()] + (random() % 3 ? " " : "");
        tryEverything(text);
    }
}

TEST(Hostile, AMegabyteOfAnythingIsReadInOneGo) {
    constexpr std::size_t kMegabyte = 1 << 20;
    for (const char* piece :
         {"a", "'", "''", "\"", "`", "(", "NOT ", "x.", "\\'", "'\\", "metrics.loss < 1 AND ",
          "metrics.loss < 1 OR ", "1", ",", "run_id IN ('a',", "\xff", "=", "tags.`", "%s"}) {
        std::string text;
        while (text.size() < kMegabyte) text += piece;
        tryEverything(text);
    }
}

TEST(Hostile, KeysOfTenKilobytesAndWithNulAreKeysAsAnyOther) {
    auto run = test::aRun();
    const std::string longKey(10'000, 'k'), oddKey("a\0b", 3);
    run.tags[longKey] = "x";
    run.tags[oddKey] = std::string("c\0d", 3);
    EXPECT_TRUE(query::matches(query::parseFilter("tags." + longKey + " = 'x'"), run));
    EXPECT_TRUE(
        query::matches(query::parseFilter("tags.`" + oddKey + "` = '" + run.tags[oddKey] + "'"), run));
    const auto known = query::vocabularyOf({run});
    const auto unknown = query::unknownKeys(query::parseFilter("tags." + longKey + "k = 'x'"), known);
    ASSERT_EQ(unknown.size(), 1u);
    EXPECT_LT(unknown.front().message.size(), 200u) << "a message is for reading";
}

TEST(Hostile, DeepNestingIsRefusedWithAMessageAndModerateNestingIsNot) {
    const auto nested = [](int depth) {
        return std::string(static_cast<std::size_t>(depth), '(') + "status = 'FINISHED'" +
               std::string(static_cast<std::size_t>(depth), ')');
    };
    EXPECT_TRUE(query::matches(query::parseFilter(nested(100)), test::aRun()));
    try {
        query::parseFilter(nested(101));
        FAIL() << "accepted";
    } catch (const query::QueryError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("100"));
        EXPECT_EQ(error.position(), 100u);
    }
}

TEST(Hostile, ATooLongPatternIsRefused) {
    EXPECT_THROW(query::parseFilter("run_name LIKE '" + std::string(60'000, '%') + "'"), query::QueryError);
}

}  // namespace
