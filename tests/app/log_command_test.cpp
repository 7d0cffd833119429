// `dailies log`, and what every command leaves in it.
#include "tests/app/command_line_fixture.h"

#include <gmock/gmock.h>

namespace {

using namespace dailies;
using test::CommandLine;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LogCommand : public CommandLine {
protected:
    std::string file() const { return place("state/dailies/dailies.log"); }
};

TEST_F(LogCommand, SaysWhatWasStartedAndHowItEnded) {
    EXPECT_EQ(m_dailies.run({"runs", "--store", place("none.db")}).status, 2);
    const auto answer = m_dailies.run({"log"});
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.out, HasSubstr("info program: started: dailies runs --store " + place("none.db")));
    EXPECT_THAT(answer.out, HasSubstr("(Dailies "));
    EXPECT_THAT(answer.out, HasSubstr("libssh 0."));
    EXPECT_THAT(answer.out, HasSubstr("error program: There is no database "));
    EXPECT_THAT(answer.out, HasSubstr("info program: ended with status 2 after "));
}

TEST_F(LogCommand, PrintsTheLastLinesOrWhereTheyAre) {
    EXPECT_EQ(m_dailies.run({"log", "--path"}).out, file() + "\n");
    for (int i = 0; i < 3; ++i) m_dailies.run({"clusters", "list"});
    const auto last = m_dailies.run({"log", "--lines", "2"}).out;
    EXPECT_EQ(split(trim(last), '\n').size(), 2u);
    EXPECT_THAT(last, HasSubstr("ended with status"));
    EXPECT_EQ(m_dailies.run({"log", "--lines", "0"}).status, 2);
}

TEST_F(LogCommand, TheLevelIsThatOfTheOptionElseOfTheEnvironment) {
    m_dailies.run({"--log-level", "error", "clusters", "list"});
    EXPECT_FALSE(std::filesystem::exists(file()));
    m_dailies.run({"clusters", "list"}, "DAILIES_LOG_LEVEL=error");
    EXPECT_FALSE(std::filesystem::exists(file()));
    m_dailies.run({"clusters", "list", "--log-level", "info"}, "DAILIES_LOG_LEVEL=error");
    EXPECT_THAT(readFile(file()), HasSubstr("started: dailies clusters list --log-level info"));
    EXPECT_THAT(m_dailies.run({"clusters", "list", "--log-level", "loud"}).err, HasSubstr("loud"));
    EXPECT_EQ(m_dailies.run({"clusters", "list"}, "DAILIES_LOG_LEVEL=loud").status, 0)
        << "a log stops nothing";
}

TEST_F(LogCommand, ACommandWorksWhereThereCanBeNoLog) {
    write("state", "a file in the folder's place");
    const auto answer = m_dailies.run({"clusters", "list", "--format", "json"});
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(trim(answer.out), "[]");
    EXPECT_THAT(answer.err, StartsWith("dailies: the log "));
    EXPECT_EQ(split(trim(answer.err), '\n').size(), 1u);
}

#ifdef DAILIES_WITH_UI
TEST_F(LogCommand, WhatQtSaysIsInItToo) {
    fillStore();
    const auto answer = m_dailies.run({"screenshot", "runs", place("runs.png"), "--log-level", "debug"},
                                      "QT_DEBUG_PLUGINS=1");
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(readFile(file()), HasSubstr(" debug qt: "));
}
#endif

TEST_F(LogCommand, ArgumentsAreThereWithoutTheirSecrets) {
    m_dailies.run({"publish", "abc", "--to", "https://me:canary@127.0.0.1:1"});
    EXPECT_THAT(readFile(file()), HasSubstr("dailies publish abc"));
    EXPECT_THAT(readFile(file()), Not(HasSubstr("canary")));
}

}  // namespace
