// Servers that ask questions, and servers that lie. Needs build/interop (tests/interop/setup.sh).
#include "core/base/text.h"
#include "core/log/log.h"
#include "tests/remote/ssh/peer_server.h"
#include "tests/remote/ssh/prompter.h"
#include "tests/remote/ssh/ssh_server.h"

namespace dailies::remote::ssh {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class PeerTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        ::unsetenv("SSH_AUTH_SOCK");
        s_server = std::make_unique<PeerServer>();
    }
    static void TearDownTestSuite() { s_server.reset(); }

    Endpoint as(const std::string& user) const {
        writeFileAtomically(scratch.path() / "known_hosts", s_server->knownHost());
        return {.host = "127.0.0.1",
                .port = s_server->port(),
                .user = user,
                .knownHostsFile = scratch.path() / "known_hosts",
                .readUserConfig = false};
    }
    void expectToGetIn(const Endpoint& to) {
        EXPECT_EQ(Session(to, prompter).run("echo inside").out, "inside\n");
    }
    SessionError refusal(const Endpoint& to) {
        try {
            const Session session(to, prompter);
        } catch (const SessionError& e) {
            EXPECT_EQ(e.failure(), Failure::Authentication) << e.full();
            return e;
        }
        ADD_FAILURE() << "it connected";
        return {Failure::Remote, ""};
    }

    TemporaryFolder scratch{"ssh-peer"};
    ScriptedPrompter prompter;
    static inline std::unique_ptr<PeerServer> s_server;
};

TEST_F(PeerTest, APasswordLetsIn) {
    prompter.answer = "right";
    expectToGetIn(as("password"));
    ASSERT_EQ(prompter.questions.size(), 1u);
    EXPECT_EQ(prompter.questions[0], "Password for password@127.0.0.1");
}

TEST_F(PeerTest, AWrongPasswordMayBeGivenAgainButNotForEver) {
    prompter.answers = {"wrong", "right"};
    expectToGetIn(as("password"));
    prompter.questions.clear();
    prompter.answer = "wrong";
    EXPECT_THAT(refusal(as("password")).remedy(), HasSubstr("It accepts a password."));
    EXPECT_EQ(prompter.questions.size(), 3u);
}

TEST_F(PeerTest, APasswordAndACodeAreAskedForOneAfterTheOther) {
    prompter.answers = {"right", "123456"};
    expectToGetIn(as("questions"));
    ASSERT_EQ(prompter.questions.size(), 2u);
    EXPECT_EQ(prompter.questions[0], "Welcome to the lab\n(questions@127.0.0.1) Password:");
    EXPECT_EQ(prompter.questions[1], "(questions@127.0.0.1) Verification code:");
    EXPECT_THAT(prompter.echoes, testing::ElementsAre(false, true));
}

TEST_F(PeerTest, ACodeThatRanOutMayBeGivenAgain) {
    prompter.answers = {"right", "000000", "right", "123456"};
    expectToGetIn(as("questions"));
}

TEST_F(PeerTest, SeveralQuestionsAtOnceAreAnsweredInTheirOrder) {
    prompter.answers = {"right", "123456"};
    expectToGetIn(as("pair"));
}

TEST_F(PeerTest, ARoundWithoutQuestionsNeedsNobody) {
    expectToGetIn(as("empty"));
    EXPECT_TRUE(prompter.questions.empty());
}

TEST_F(PeerTest, AKeyAndThenACodeLetIn) {
    auto to = as("key-then-code");
    to.identityFile = makeKey(scratch.path() / "key");
    prompter.answer = "123456";
    expectToGetIn(to);
    EXPECT_EQ(prompter.questions.size(), 1u);
    prompter.answer = "wrong";
    EXPECT_THAT(refusal(to).what(), HasSubstr("accepted one authentication step"));
}

TEST_F(PeerTest, AServerMayWaitForATelephoneLongerThanTheTimeout) {
    auto to = as("telephone");
    to.timeout = 2s;
    prompter.answer = "right";
    expectToGetIn(to);
}

TEST_F(PeerTest, GivingUpAtAQuestionIsNoFailure) {
    EXPECT_THROW(Session(as("questions"), prompter), Cancelled);
}

TEST_F(PeerTest, TheLogSaysThatQuestionsWereAnsweredAndNotHow) {
    writeFileAtomically(scratch.path() / "password", "canary-password");
    const PeerServer server(scratch.path() / "password");
    writeFileAtomically(scratch.path() / "known_hosts", server.knownHost());
    const log::LogFile file{.path = scratch.path() / "dailies.log"};
    const log::Writer writer(log::Level::Debug, file);
    for (const std::string user : {"password", "questions"}) {
        prompter.answers = {"canary-mistyped", "canary-password", "123456"};
        if (user == "questions") prompter.answers.erase(prompter.answers.begin());
        const Endpoint to{.host = "127.0.0.1",
                          .port = server.port(),
                          .user = user,
                          .knownHostsFile = scratch.path() / "known_hosts",
                          .readUserConfig = false};
        expectToGetIn(to);
    }
    log::flush();
    const auto text = log::lastLines(file, 1000);
    EXPECT_THAT(text, HasSubstr("sign-in to 127.0.0.1: password accepted"));
    EXPECT_THAT(text, HasSubstr("sign-in to 127.0.0.1: keyboard-interactive accepted"));
    EXPECT_THAT(text, Not(HasSubstr("canary")));
    EXPECT_THAT(text, Not(HasSubstr("123456")));
}

TEST_F(PeerTest, EndlessQuestionsComeToAnEnd) {
    prompter.answer = "x";
    EXPECT_THAT(refusal(as("endless")).what(), HasSubstr("too many authentication prompts"));
    EXPECT_LT(prompter.questions.size(), 40u);
    prompter.questions.clear();
    auto crowd = as("crowd");
    crowd.timeout = 2s;
    EXPECT_THROW(Session(crowd, prompter), SessionError);
    EXPECT_TRUE(prompter.questions.empty());
}

TEST_F(PeerTest, QuestionsCarryNoEscapeSequencesAndAreOfReadableLength) {
    prompter.answer = "right";
    expectToGetIn(as("hostile"));
    ASSERT_EQ(prompter.questions.size(), 1u);
    EXPECT_THAT(prompter.questions[0], Not(HasSubstr("\x1b")));
    EXPECT_THAT(prompter.questions[0], Not(HasSubstr("\u202e")));
    EXPECT_LT(prompter.questions[0].size(), 3000u);
}

TEST_F(PeerTest, NamesThatWouldLeaveTheFolderAreNotListed) {
    Session session(as("anybody"), prompter);
    for (const auto& entry : session.list("/")) {
        EXPECT_EQ(entry.name.find('/'), std::string::npos) << entry.name;
        EXPECT_NE(entry.name, "..");
        EXPECT_NE(entry.name, ".");
        EXPECT_NE(entry.name, "");
    }
    EXPECT_EQ(session.list("/").size(), 3u)
        << "honest, the one with an escape sequence, the one cut at its NUL";
}

TEST_F(PeerTest, WhateverAServerSendsOnlyWhatWasAskedForIsWrittenAndOnlyWhereItWasMeantToBe) {
    Session session(as("liar"), prompter);
    const auto mirror = scratch.path() / "inner" / "mirror";
    std::vector<BatchFile> files;
    for (const char* name : {"honest", "twice", "wrong", "link", "link/passwd", "hard", "pipe", "device",
                             "folder", "short", "long", "absent"})
        files.push_back({name, mirror / (std::string(name) == "link/passwd" ? "link-passwd" : name), 4});
    const auto arrivals = session.downloadAll("/data", files);
    for (std::size_t i = 0; i < files.size(); ++i)
        EXPECT_EQ(arrivals[i] == TransferResult::Complete, i < 2) << files[i].name;
    std::vector<std::string> written;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path() / "inner"))
        if (!entry.is_directory()) written.push_back(entry.path().lexically_relative(mirror).string());
    EXPECT_THAT(written, testing::UnorderedElementsAre("honest", "twice"));
    EXPECT_EQ(readFile(mirror / "honest"), "good");
    EXPECT_EQ(readFile(mirror / "twice"), "good");
    EXPECT_FALSE(fs::exists("/tmp/dailies-outside"));
}

TEST_F(PeerTest, FilesThatWouldLieOutsideAreNeitherListedNorAskedFor) {
    Session session(as("liar"), prompter);
    std::vector<std::string> names;
    for (const auto& entry : session.listTree("/data", 4)) names.push_back(entry.name);
    EXPECT_THAT(names, testing::ElementsAre("honest"));
    EXPECT_EQ(session.statAll("/data", {"honest", "absent"}).size(), 1u);
    for (const char* name : {"../outside", "/etc/passwd", "a/../../b", "", ".", "a//b"})
        EXPECT_THROW(session.downloadAll("/data", {{name, scratch.path() / "x", 4}}), InputError) << name;
}

}  // namespace
}  // namespace dailies::remote::ssh
