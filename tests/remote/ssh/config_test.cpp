// ~/.ssh/config as people have it, against real servers: wherever ssh gets with it, Dailies gets, too.
#include "remote/ssh/host_config.h"
#include "tests/remote/ssh/prompter.h"
#include "tests/remote/ssh/ssh_server.h"

namespace dailies::remote::ssh {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ConfigTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<TemporaryFolder>("ssh-config");
        s_gateKey = makeKey(s_folder->path() / "gate_key");
        s_labKey = makeKey(s_folder->path() / "lab key");
        s_gate = std::make_unique<SshServer>(s_folder->path() / "gate", std::vector{s_gateKey});
        s_inner = std::make_unique<SshServer>(s_folder->path() / "inner", std::vector{s_gateKey});
        s_lab = std::make_unique<SshServer>(s_folder->path() / "lab", std::vector{s_labKey}, "", "ecdsa");
    }
    static void TearDownTestSuite() {
        s_lab.reset();
        s_inner.reset();
        s_gate.reset();
        s_folder.reset();
    }

    void SetUp() override {
        ::unsetenv("SSH_AUTH_SOCK");
        writeFileAtomically(knownHosts(), s_gate->knownHost() + s_inner->knownHost() + s_lab->knownHost());
    }

    fs::path knownHosts() const { return scratch.path() / "known_hosts"; }
    static std::string port(const SshServer& server) { return std::to_string(server.port()); }

    /// `lines` with what every host of a test needs behind them.
    Endpoint endpoint(const std::string& host, const std::string& lines) const {
        const auto file = scratch.path() / "config";
        writeFileAtomically(file, lines + "\nHost *\n  UserKnownHostsFile " + knownHosts().string() +
                                      "\n  GlobalKnownHostsFile none\n");
        return {.host = host, .configFile = file};
    }

    /// Which server answers.
    std::string arrival(const Endpoint& to) {
        return std::string(trim(Session(to, prompter).run("echo $SERVER").out));
    }
    /// Where ssh itself arrives.
    static std::string arrivalOfSsh(const Endpoint& to) {
        const auto result =
            runProcess({"ssh", "-F", to.configFile.string(), "-o", "BatchMode=yes", to.host, "echo $SERVER"});
        return result.ok() ? std::string(trim(result.out)) : "ssh failed: " + result.err;
    }
    void expectToArriveAsSshDoes(const Endpoint& to, const std::string& server) {
        EXPECT_EQ(arrivalOfSsh(to), server);
        EXPECT_EQ(arrival(to), server);
    }

    SessionError failure(const Endpoint& to) {
        try {
            const Session session(to, prompter);
        } catch (const SessionError& e) {
            return e;
        }
        ADD_FAILURE() << "it connected";
        return {Failure::Remote, ""};
    }

    std::string labLines() const {
        return "Host lab\n  HostName 127.0.0.1\n  Port " + port(*s_lab) + "\n  IdentityFile \"" +
               s_labKey.string() + "\"\n";
    }
    std::string gateLines() const {
        return "Host gate\n  HostName 127.0.0.1\n  Port " + port(*s_gate) + "\n  IdentityFile " +
               s_gateKey.string() + "\n";
    }
    std::string innerLines() const {
        return "Host inner\n  HostName 127.0.0.1\n  Port " + port(*s_inner) + "\n  IdentityFile " +
               s_gateKey.string() + "\n";
    }

    TemporaryFolder scratch{"ssh-config-scratch"};
    ScriptedPrompter prompter;
    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline fs::path s_gateKey, s_labKey;
    static inline std::unique_ptr<SshServer> s_gate, s_inner, s_lab;
};

TEST_F(ConfigTest, AnAliasHasItsHostNamePortUserAndKey) {
    expectToArriveAsSshDoes(endpoint("lab", labLines()), "lab");
}

TEST_F(ConfigTest, PatternsNegationsAndTheFirstValueCount) {
    expectToArriveAsSshDoes(endpoint("node7", "Host node* !node9\n  HostName 127.0.0.1\n  Port " +
                                                  port(*s_lab) + "\nHost node7\n  Port " + port(*s_gate) +
                                                  "\nHost *\n  IdentityFile \"" + s_labKey.string() + "\"\n"),
                            "lab");
}

TEST_F(ConfigTest, IncludedFilesAreRead) {
    writeFileAtomically(scratch.path() / "conf.d/10-lab", labLines());
    expectToArriveAsSshDoes(endpoint("lab", "Include " + scratch.path().string() + "/conf.d/*\n"), "lab");
}

TEST_F(ConfigTest, MatchLooksAtHostUserAndAtWhatACommandSays) {
    const auto lines = "Match originalhost somewhere exec \"test -e " + (scratch.path() / "vpn").string() +
                       "\"\n  Port " + port(*s_gate) + "\n  IdentityFile " + s_gateKey.string() +
                       "\nMatch host somewhere\n  Port " + port(*s_lab) + "\n  IdentityFile \"" +
                       s_labKey.string() + "\"\nMatch all\n  HostName 127.0.0.1\n";
    expectToArriveAsSshDoes(endpoint("somewhere", lines), "lab");
    writeFileAtomically(scratch.path() / "vpn", "");
    expectToArriveAsSshDoes(endpoint("somewhere", lines), "gate");
}

TEST_F(ConfigTest, OfSeveralKeysTheOneThatFitsLetsIn) {
    const auto stranger = makeKey(scratch.path() / "stranger");
    expectToArriveAsSshDoes(
        endpoint("lab", "Host lab\n  IdentityFile " + stranger.string() + "\n  IdentityFile " +
                            (scratch.path() / "absent").string() + "\n" + labLines()),
        "lab");
}

TEST_F(ConfigTest, TokensAndVariablesInPathsAreExpanded) {
    const auto folder = scratch.path() / "keys of lab" / std::to_string(s_lab->port());
    fs::create_directories(folder);
    fs::copy_file(s_labKey, folder / "%key");
    ::setenv("KEY_FOLDER", scratch.path().c_str(), 1);
    expectToArriveAsSshDoes(endpoint("lab", "Host lab\n  HostName 127.0.0.1\n  Port " + port(*s_lab) +
                                                "\n  IdentityFile \"${KEY_FOLDER}/keys of %n/%p/%%key\"\n"),
                            "lab");
}

TEST_F(ConfigTest, AProxyCommandCarriesTheConversation) {
    const auto to = endpoint("lab",
                             "Host lab\n  ProxyCommand bash -c 'exec 3<>/dev/tcp/%h/%p; cat <&3 & cat >&3; "
                             "kill $!'\n" +
                                 labLines());
    expectToArriveAsSshDoes(to, "lab");
    Session session(to, prompter);
    writeFileAtomically(scratch.path() / "file", std::string(3'000'000, 'x'));
    session.download((scratch.path() / "file").string(), scratch.path() / "copy");
    EXPECT_EQ(readFile(scratch.path() / "copy"), std::string(3'000'000, 'x'));
}

TEST_F(ConfigTest, WhatAFailingProxyCommandSaysIsTold) {
    const auto told = failure(
        endpoint("lab", "Host lab\n  ProxyCommand echo no ticket for %r at %n >&2; exit 1\n" + labLines()));
    EXPECT_EQ(told.failure(), Failure::Unreachable);
    EXPECT_THAT(told.what(), HasSubstr("the proxy command"));
    EXPECT_THAT(told.what(), testing::MatchesRegex(".*no ticket for [a-z0-9_-]+ at lab.*"));
}

TEST_F(ConfigTest, AJumpHostIsSignedInToByItsOwnConfiguration) {
    const auto before = s_gate->signedIn();
    expectToArriveAsSshDoes(endpoint("lab", gateLines() + "Host lab\n  ProxyJump gate\n" + labLines()),
                            "lab");
    EXPECT_EQ(s_gate->signedIn(), before + 2) << "the jump host was passed by";
}

TEST_F(ConfigTest, SeveralJumpHostsArePassedInTheirOrder) {
    const auto gate = s_gate->signedIn(), inner = s_inner->signedIn();
    expectToArriveAsSshDoes(
        endpoint("lab", gateLines() + innerLines() + "Host lab\n  ProxyJump gate,inner\n" + labLines()),
        "lab");
    EXPECT_EQ(s_gate->signedIn(), gate + 2);
    EXPECT_EQ(s_inner->signedIn(), inner + 2);
}

TEST_F(ConfigTest, AJumpHostMayHaveAJumpHostOfItsOwn) {
    const auto gate = s_gate->signedIn();
    expectToArriveAsSshDoes(
        endpoint("lab", gateLines() + innerLines() +
                            "Host inner\n  ProxyJump gate\nHost lab\n  ProxyJump inner\n" + labLines()),
        "lab");
    EXPECT_EQ(s_gate->signedIn(), gate + 2);
}

TEST_F(ConfigTest, FilesTravelThroughJumpHostsUnchangedBothWays) {
    Session session(
        endpoint("lab", gateLines() + innerLines() + "Host lab\n  ProxyJump gate,inner\n" + labLines()),
        prompter);
    const auto bytes = noise(9'000'001);
    writeFileAtomically(scratch.path() / "local", bytes);
    session.upload(scratch.path() / "local", (scratch.path() / "there").string());
    EXPECT_TRUE(readFile(scratch.path() / "there") == bytes);
    session.download((scratch.path() / "there").string(), scratch.path() / "back");
    EXPECT_TRUE(readFile(scratch.path() / "back") == bytes);
}

TEST_F(ConfigTest, TheKeyOfAnUnknownJumpHostIsAskedAboutBeforeAnythingElse) {
    writeFileAtomically(knownHosts(), s_lab->knownHost());
    const auto to = endpoint("lab", gateLines() + "Host lab\n  ProxyJump gate\n" + labLines());
    EXPECT_THAT(failure(to).what(), HasSubstr("[127.0.0.1]:" + port(*s_gate)));
    ASSERT_EQ(prompter.asked.size(), 1u);
    EXPECT_EQ(prompter.asked[0].host, "[127.0.0.1]:" + port(*s_gate));
    prompter.trust = Prompter::Trust::Save;
    EXPECT_EQ(arrival(to), "lab");
    EXPECT_EQ(arrival(to), "lab");
    EXPECT_EQ(prompter.asked.size(), 2u) << "it was saved";
}

TEST_F(ConfigTest, AJumpHostThatRefusesIsNamed) {
    const auto stranger = makeKey(scratch.path() / "stranger");
    const auto refused =
        failure(endpoint("lab", "Host gate\n  IdentitiesOnly yes\n  IdentityFile " + stranger.string() +
                                    "\n  HostName 127.0.0.1\n  Port " + port(*s_gate) +
                                    "\nHost lab\n  ProxyJump gate\n" + labLines()));
    EXPECT_EQ(refused.failure(), Failure::Authentication);
    EXPECT_THAT(refused.what(), HasSubstr("gate did not let"));
    const auto dark = failure(
        endpoint("far", gateLines() + "Host far\n  HostName 127.0.0.1\n  Port 1\n  ProxyJump gate\n"));
    EXPECT_EQ(dark.failure(), Failure::Unreachable);
    EXPECT_THAT(dark.what(), HasSubstr("The jump host gate cannot forward to 127.0.0.1 port 1"));
}

TEST_F(ConfigTest, AJumpHostThatDiesIsNoticedAtOnceAndNamed) {
    Session session(endpoint("lab", gateLines() + "Host lab\n  ProxyJump gate\n" + labLines()), prompter);
    ASSERT_EQ(trim(session.run("echo $SERVER").out), "lab");
    s_gate->killSessions();
    try {
        session.run("sleep 20");
        ADD_FAILURE() << "nobody noticed";
    } catch (const SessionError& e) {
        EXPECT_EQ(e.failure(), Failure::Lost);
        EXPECT_THAT(e.what(), HasSubstr("the jump host gate"));
    }
}

TEST_F(ConfigTest, JumpHostsThatNameEachOtherAreRefused) {
    const auto told = failure(endpoint("a", "Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n"));
    EXPECT_THAT(told.full(), HasSubstr("name each other"));
}

TEST_F(ConfigTest, StrictHostKeyCheckingDecidesAboutUnknownKeys) {
    writeFileAtomically(knownHosts(), "");
    const auto with = [&](const std::string& strictness) {
        return endpoint("lab", "Host lab\n  StrictHostKeyChecking " + strictness + "\n" + labLines());
    };
    EXPECT_THAT(failure(with("yes")).what(), HasSubstr("StrictHostKeyChecking"));
    EXPECT_EQ(arrival(with("accept-new")), "lab");
    EXPECT_EQ(readFile(knownHosts()), s_lab->knownHost());
    EXPECT_EQ(arrival(with("yes")), "lab");
    EXPECT_TRUE(prompter.asked.empty());
    writeFileAtomically(knownHosts(), "[127.0.0.1]:" + port(*s_lab) + " " + s_gate->hostKey() + "\n");
    EXPECT_THAT(failure(with("no")).what(), HasSubstr("has changed")) << "other than ssh, never that";
}

TEST_F(ConfigTest, NothingIsSavedInDevNull) {
    auto to = endpoint("lab",
                       "Host lab\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n" + labLines());
    EXPECT_EQ(arrival(to), "lab");
    EXPECT_EQ(readFile(knownHosts()), s_gate->knownHost() + s_inner->knownHost() + s_lab->knownHost());
}

TEST_F(ConfigTest, AHostKeyAliasIsLookedUpInPlaceOfNameAndPort) {
    writeFileAtomically(knownHosts(), "cluster-of-lab " + s_lab->hostKey() + "\n");
    expectToArriveAsSshDoes(endpoint("lab", "Host lab\n  HostKeyAlias cluster-of-lab\n" + labLines()), "lab");
    writeFileAtomically(knownHosts(), "cluster-of-lab " + s_gate->hostKey() + "\n");
    EXPECT_THAT(failure(endpoint("lab", "Host lab\n  HostKeyAlias cluster-of-lab\n" + labLines())).what(),
                HasSubstr("has changed"));
}

TEST_F(ConfigTest, ANewKeyIsSavedUnderAHashWhereTheConfigurationWantsThat) {
    writeFileAtomically(knownHosts(), "");
    const auto to = endpoint("lab", "Host lab\n  HashKnownHosts yes\n" + labLines());
    prompter.trust = Prompter::Trust::Save;
    EXPECT_EQ(arrival(to), "lab");
    EXPECT_TRUE(readFile(knownHosts()).starts_with("|1|")) << readFile(knownHosts());
    expectToArriveAsSshDoes(to, "lab");
    EXPECT_EQ(prompter.asked.size(), 1u);
}

TEST_F(ConfigTest, RevokedHostKeysAreRefused) {
    const auto list = scratch.path() / "revoked.krl";
    const auto key = scratch.path() / "lab.pub";
    writeFileAtomically(key, s_lab->hostKey() + "\n");
    ASSERT_TRUE(runProcess({"ssh-keygen", "-k", "-f", list.string(), key.string()}).ok());
    const auto lines = "Host *\n  RevokedHostKeys " + list.string() + "\n";
    EXPECT_THAT(failure(endpoint("lab", lines + labLines())).what(), HasSubstr("revoked"));
    EXPECT_EQ(arrival(endpoint("gate", lines + gateLines())), "gate");
}

TEST_F(ConfigTest, AServerIsAskedForTheKeyThatIsKnownWhenItHasSeveral) {
    const auto second = makeKey(scratch.path() / "rsa_host_key", "", "rsa");
    const SshServer server(scratch.path() / "two", {s_gateKey}, "HostKey " + second.string());
    writeFileAtomically(knownHosts(),
                        "[127.0.0.1]:" + std::to_string(server.port()) + " " + publicKey(second) + "\n");
    expectToArriveAsSshDoes(
        endpoint("two", "Host two\n  HostName 127.0.0.1\n  Port " + std::to_string(server.port()) +
                            "\n  IdentityFile " + s_gateKey.string() + "\n"),
        "two");
}

TEST_F(ConfigTest, WhatTheProfileSaysWinsOverTheFile) {
    auto to = endpoint("lab", "Host lab\n  Port 1\n  User nobody-at-all\n  HostName 127.0.0.1\n");
    to.port = s_lab->port();
    to.user = ownUser();
    to.identityFile = s_labKey;
    EXPECT_EQ(arrival(to), "lab");
}

TEST_F(ConfigTest, AFileThatSshRefusesIsRefusedInItsWords) {
    try {
        const Session session(endpoint("lab", "Host lab\n  Prot 22\n"), prompter);
        ADD_FAILURE() << "it connected";
    } catch (const InputError& e) {
        EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("line 2"), HasSubstr("prot")));
    }
}

TEST_F(ConfigTest, TimesOfTheConfigurationAreKept) {
    const auto config = resolveHost(
        endpoint("lab", "Host lab\n  ConnectTimeout 3\n  ServerAliveInterval 2\n  ServerAliveCountMax 2\n"),
        {});
    EXPECT_EQ(config.connectTimeout, std::chrono::seconds(3));
    EXPECT_EQ(config.idleTimeout, std::chrono::seconds(4));
    EXPECT_FALSE(resolveHost(endpoint("lab", ""), {}).connectTimeout);
}

TEST_F(ConfigTest, MethodsComeInTheConfigurationsOrderWithoutThoseSwitchedOff) {
    EXPECT_THAT(resolveHost(endpoint("lab", ""), {}).methods,
                ElementsAre("publickey", "keyboard-interactive", "password"));
    EXPECT_THAT(resolveHost(endpoint("lab",
                                     "PreferredAuthentications password,gssapi-with-mic,publickey\n"
                                     "PasswordAuthentication no\n"),
                            {})
                    .methods,
                ElementsAre("publickey"));
}

}  // namespace
}  // namespace dailies::remote::ssh
