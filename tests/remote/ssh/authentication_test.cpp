// Signing in with keys, agents and certificates, to real servers.
#include "tests/remote/ssh/prompter.h"
#include "tests/remote/ssh/ssh_server.h"

namespace dailies::remote::ssh {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A real ssh-agent, which $SSH_AUTH_SOCK names while it lives.
class Agent {
public:
    explicit Agent(const fs::path& folder) : m_folder(folder) {
        const auto socket = (folder / "agent").string();
        m_daemon = sandbox::startDaemon(
            {findProgram("ssh-agent").value_or("ssh-agent").string(), "-D", "-a", socket},
            {{sandbox::kMarkVariable, m_mark}}, folder / "agent.log");
        ::setenv("SSH_AUTH_SOCK", socket.c_str(), 1);
        // its socket is there a moment before it listens
        for (int tries = 0; tries < 500 && !answers(); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ~Agent() {
        ::unsetenv("SSH_AUTH_SOCK");
        sandbox::killAll({{m_daemon}, m_mark, m_folder / "none", m_folder});
        fs::remove(m_folder / "agent");
    }
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    static bool answers() {
        constexpr int kNoConnection = 2;  // as ssh-add(1) says; 1 is an agent without keys
        return runProcess({"ssh-add", "-l"}).exitCode != kNoConnection;
    }

    void add(const fs::path& key) const {
        const auto added = runProcess({"ssh-add", "-q", key.string()});
        if (!added.ok()) throw std::runtime_error(added.err);
    }
    void freeze() const { ::kill(m_daemon.pid, SIGSTOP); }
    void thaw() const { ::kill(m_daemon.pid, SIGCONT); }

private:
    fs::path m_folder;
    std::string m_mark = newId();
    sandbox::ProcessIdentity m_daemon;
};

class AuthenticationTest : public testing::Test {
protected:
    void SetUp() override { ::unsetenv("SSH_AUTH_SOCK"); }

    fs::path path(const std::string& name) const { return scratch.path() / name; }

    /// A host "lab" with these lines, which is this server.
    Endpoint endpoint(const SshServer& server, const std::string& lines) const {
        writeFileAtomically(path("known_hosts"), server.knownHost());
        writeFileAtomically(path("config"), "Host lab\n  HostName 127.0.0.1\n  Port " +
                                                std::to_string(server.port()) + "\n  UserKnownHostsFile " +
                                                path("known_hosts").string() + "\n" + lines);
        return {.host = "lab", .configFile = path("config")};
    }
    static std::string identity(const fs::path& key) { return "  IdentityFile " + key.string() + "\n"; }

    void expectToGetIn(const Endpoint& to, const std::string& server) {
        EXPECT_EQ(trim(Session(to, prompter).run("echo $SERVER").out), server);
    }
    std::string refusal(const Endpoint& to) {
        try {
            const Session session(to, prompter);
        } catch (const SessionError& e) {
            EXPECT_EQ(e.failure(), Failure::Authentication);
            return e.full();
        }
        ADD_FAILURE() << "it connected";
        return {};
    }

    TemporaryFolder scratch{"ssh-keys"};
    ScriptedPrompter prompter;
};

TEST_F(AuthenticationTest, KeysOfEveryTypeAndFormatLetIn) {
    const auto ed25519 = makeKey(path("ed25519")), ecdsa = makeKey(path("ecdsa"), "", "ecdsa"),
               rsa = makeKey(path("rsa"), "", "rsa"), pem = makeKey(path("pem"), "", "rsa");
    ASSERT_TRUE(runProcess({"ssh-keygen", "-q", "-p", "-m", "PEM", "-N", "", "-f", pem.string()}).ok());
    ASSERT_THAT(readFile(pem), HasSubstr("BEGIN RSA PRIVATE KEY"));
    const SshServer server(path("lab"), {ed25519, ecdsa, rsa, pem});
    for (const auto& key : {ed25519, ecdsa, rsa, pem})
        expectToGetIn(endpoint(server, "  IdentitiesOnly yes\n" + identity(key)), "lab");
}

TEST_F(AuthenticationTest, PassphrasesOpenKeysOfEveryTypeAndFormat) {
    const auto ed25519 = makeKey(path("ed25519"), "open sesame"),
               ecdsa = makeKey(path("ecdsa"), "open sesame", "ecdsa"),
               rsa = makeKey(path("rsa"), "open sesame", "rsa"),
               pem = makeKey(path("pem"), "open sesame", "rsa");
    ASSERT_TRUE(runProcess({"ssh-keygen", "-q", "-p", "-m", "PEM", "-P", "open sesame", "-N", "open sesame",
                            "-f", pem.string()})
                    .ok());
    const SshServer server(path("lab"), {ed25519, ecdsa, rsa, pem});
    prompter.answer = "open sesame";
    for (const auto& key : {ed25519, ecdsa, rsa, pem}) {
        prompter.questions.clear();
        expectToGetIn(endpoint(server, "  IdentitiesOnly yes\n" + identity(key)), "lab");
        ASSERT_EQ(prompter.questions.size(), 1u);
        EXPECT_THAT(prompter.questions[0], HasSubstr(key.string()));
    }
}

TEST_F(AuthenticationTest, APassphraseIsAskedForOnlyWhereTheServerKnowsTheKey) {
    const auto stranger = makeKey(path("stranger"), "secret"), known = makeKey(path("known"), "secret");
    const SshServer server(path("lab"), {known});
    prompter.answer = "secret";
    expectToGetIn(endpoint(server, identity(stranger) + identity(known)), "lab");
    ASSERT_EQ(prompter.questions.size(), 1u);
    EXPECT_THAT(prompter.questions[0], HasSubstr(known.string()));
}

TEST_F(AuthenticationTest, AWrongPassphraseMayBeGivenAgainButNotForEver) {
    const auto key = makeKey(path("key"), "right");
    const SshServer server(path("lab"), {key});
    prompter.answers = {"wrong", "right"};
    expectToGetIn(endpoint(server, identity(key)), "lab");
    EXPECT_EQ(prompter.questions.size(), 2u);
    prompter.questions.clear();
    prompter.answer = "wrong";
    EXPECT_THAT(refusal(endpoint(server, identity(key))), HasSubstr(key.string()));
    EXPECT_EQ(prompter.questions.size(), 3u);
}

TEST_F(AuthenticationTest, ALockedKeyThatTheAgentHoldsNeedsNoPassphrase) {
    const auto key = makeKey(path("key"));
    const SshServer server(path("lab"), {key});
    const Agent agent(scratch.path());
    agent.add(key);
    ASSERT_TRUE(runProcess({"ssh-keygen", "-q", "-p", "-N", "secret", "-f", key.string()}).ok());
    expectToGetIn(endpoint(server, "  IdentitiesOnly yes\n" + identity(key)), "lab");
    EXPECT_THAT(prompter.questions, IsEmpty());
}

TEST_F(AuthenticationTest, TheAgentsKeysLetInWithoutAnyFile) {
    const auto ed25519 = makeKey(path("ed25519")), rsa = makeKey(path("rsa"), "", "rsa"),
               ecdsa = makeKey(path("ecdsa"), "", "ecdsa");
    for (const auto& key : {ed25519, rsa, ecdsa}) {
        const SshServer server(path("lab-" + key.filename().string()), {key});
        const Agent agent(scratch.path());
        agent.add(key);
        expectToGetIn(endpoint(server, identity(path("absent"))), server.name());
    }
}

TEST_F(AuthenticationTest, AnAgentFullOfOtherKeysDoesNotUseUpTheServersTries) {
    const auto key = makeKey(path("key"));
    const SshServer server(path("lab"), {key}, "MaxAuthTries 3");
    const Agent agent(scratch.path());
    for (int i = 0; i < 8; ++i) agent.add(makeKey(path("other" + std::to_string(i))));
    expectToGetIn(endpoint(server, identity(key)), "lab");
    agent.add(key);
    fs::rename(key, path("key.away"));  // its public part stays: the agent has the private one
    expectToGetIn(endpoint(server, identity(key)), "lab");
    const auto stranger = makeKey(path("stranger"));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THAT(refusal(endpoint(server, identity(stranger))), HasSubstr("too many tries?"));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_THAT(refusal(endpoint(server, "  IdentitiesOnly yes\n" + identity(stranger))),
                Not(HasSubstr("too many tries?")));
}

TEST_F(AuthenticationTest, WithIdentitiesOnlyTheAgentsOtherKeysStayAtHome) {
    const auto key = makeKey(path("key")), named = makeKey(path("named"));
    const SshServer server(path("lab"), {key});
    const Agent agent(scratch.path());
    agent.add(key);
    EXPECT_THAT(refusal(endpoint(server, "  IdentitiesOnly yes\n" + identity(named))), HasSubstr("named"));
    EXPECT_THAT(refusal(endpoint(server, "  IdentityAgent none\n" + identity(named))), HasSubstr("named"));
    expectToGetIn(endpoint(server, identity(named)), "lab");
}

TEST_F(AuthenticationTest, AnAgentThatHangsCanBeStoppedWaitingFor) {
    const auto key = makeKey(path("key"));
    const SshServer server(path("lab"), {key});
    const Agent agent(scratch.path());
    agent.add(key);
    agent.freeze();
    std::stop_source stop;
    const std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(Session(endpoint(server, identity(key)), prompter, stop.get_token()), Cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
    agent.thaw();
}

TEST_F(AuthenticationTest, AnAgentThatIsGoneIsNoHindrance) {
    const auto key = makeKey(path("key"));
    const SshServer server(path("lab"), {key});
    ::setenv("SSH_AUTH_SOCK", path("nowhere").c_str(), 1);
    expectToGetIn(endpoint(server, identity(key)), "lab");
}

TEST_F(AuthenticationTest, CertificatesLetInWhereTheKeyAloneDoesNot) {
    const auto authority = makeKey(path("authority"));
    const SshServer server(path("lab"), {}, "TrustedUserCAKeys " + authority.string() + ".pub");
    for (const std::string type : {"ed25519", "ecdsa", "rsa"}) {
        const auto key = makeKey(path(type), "", type);
        const auto to = endpoint(server, "  IdentitiesOnly yes\n" + identity(key));
        EXPECT_THAT(refusal(to), HasSubstr(key.string()));
        ASSERT_TRUE(runProcess({"ssh-keygen", "-q", "-s", authority.string(), "-I", "me", "-n", ownUser(),
                                key.string() + ".pub"})
                        .ok());
        expectToGetIn(to, "lab");  // KEY-cert.pub
        fs::rename(key.string() + "-cert.pub", path("elsewhere-cert.pub"));
        expectToGetIn(endpoint(server, "  IdentitiesOnly yes\n  CertificateFile " +
                                           path("elsewhere-cert.pub").string() + "\n" + identity(key)),
                      "lab");
    }
}

TEST_F(AuthenticationTest, ALockedKeyWithACertificateIsUnlockedAndLetsIn) {
    const auto authority = makeKey(path("authority")), key = makeKey(path("key"), "secret");
    const SshServer server(path("lab"), {}, "TrustedUserCAKeys " + authority.string() + ".pub");
    ASSERT_TRUE(runProcess({"ssh-keygen", "-q", "-s", authority.string(), "-I", "me", "-n", ownUser(),
                            key.string() + ".pub"})
                    .ok());
    prompter.answer = "secret";
    expectToGetIn(endpoint(server, identity(key)), "lab");
    EXPECT_EQ(prompter.questions.size(), 1u);
}

TEST_F(AuthenticationTest, CertificatesInTheAgentLetIn) {
    const auto authority = makeKey(path("authority")), key = makeKey(path("key"));
    const SshServer server(path("lab"), {}, "TrustedUserCAKeys " + authority.string() + ".pub");
    ASSERT_TRUE(runProcess({"ssh-keygen", "-q", "-s", authority.string(), "-I", "me", "-n", ownUser(),
                            key.string() + ".pub"})
                    .ok());
    const Agent agent(scratch.path());
    agent.add(key);  // the certificate beside it goes along
    for (const auto* end : {"", ".pub", "-cert.pub"}) fs::remove(key.string() + end);
    expectToGetIn(endpoint(server, ""), "lab");
}

TEST_F(AuthenticationTest, TwoKeysInARowLetInWhereBothAreWanted) {
    const auto first = makeKey(path("first")), second = makeKey(path("second"));
    const SshServer server(path("lab"), {first, second}, "AuthenticationMethods publickey,publickey");
    expectToGetIn(endpoint(server, identity(first) + identity(second)), "lab");
    EXPECT_THAT(refusal(endpoint(server, "  IdentitiesOnly yes\n" + identity(first))),
                HasSubstr("accepted one authentication step"));
}

TEST_F(AuthenticationTest, WhatIsNoKeyIsNamedAsSuch) {
    writeFileAtomically(path("photo"), "no key at all", fs::perms::owner_read | fs::perms::owner_write);
    const SshServer server(path("lab"), {});
    EXPECT_THAT(refusal(endpoint(server, identity(path("photo")))), HasSubstr("not a readable private key"));
}

TEST_F(AuthenticationTest, AKeyThatOthersMayReadIsNotUsedAsBySsh) {
    const auto open = makeKey(path("open")), closed = makeKey(path("closed"));
    fs::permissions(open, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read |
                              fs::perms::others_read);
    const SshServer server(path("lab"), {open, closed});
    const auto why = refusal(endpoint(server, identity(open)));
    EXPECT_THAT(why, HasSubstr(open.string()));
    EXPECT_THAT(why, HasSubstr("0644"));
    EXPECT_THAT(why, HasSubstr("chmod 600 " + open.string()));
    // As by ssh, another key still lets in, and the agent may hold this one.
    expectToGetIn(endpoint(server, identity(open) + identity(closed)), "lab");
    fs::permissions(open, fs::perms::owner_read | fs::perms::owner_write);
    expectToGetIn(endpoint(server, identity(open)), "lab");
}

class NobodyThere : public ScriptedPrompter {
public:
    bool canAsk() const override { return false; }
};

TEST_F(AuthenticationTest, WithoutATerminalAQuestionEndsWithWhatHelps) {
    const auto key = makeKey(path("key"), "secret");
    const SshServer server(path("lab"), {key});
    const auto to = endpoint(server, identity(key));
    NobodyThere nobody;
    const auto why = [&]() -> std::string {
        try {
            const Session session(to, nobody);
        } catch (const SessionError& e) {
            return e.full();
        }
        return "it connected";
    };
    EXPECT_THAT(why(), HasSubstr("no terminal"));
    EXPECT_THAT(why(), HasSubstr("ssh-add " + shellQuote(key.string())));
    writeFileAtomically(path("known_hosts"), "");
    EXPECT_THAT(why(), HasSubstr("no terminal"));
    EXPECT_THAT(why(), HasSubstr("ssh-keyscan -p " + std::to_string(server.port()) + " 127.0.0.1 >> " +
                                 path("known_hosts").string()));
    EXPECT_THAT(why(), HasSubstr("Sign in once with `ssh"));
    EXPECT_THAT(nobody.questions, IsEmpty());
    EXPECT_THAT(nobody.asked, IsEmpty());
}

TEST_F(AuthenticationTest, ConnectingAgainAndAgainLeavesNothingOpen) {
    const auto key = makeKey(path("key"));
    const SshServer server(path("lab"), {key});
    const Agent agent(scratch.path());
    agent.add(key);
    const auto to = endpoint(server, identity(key));
    const auto openFiles = [] {
        return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{});
    };
    { const Session warm(to, prompter); }
    const auto before = openFiles();
    for (int i = 0; i < 20; ++i) const Session session(to, prompter);
    EXPECT_EQ(openFiles(), before);
    writeFileAtomically(path("known_hosts"), "");
    for (int i = 0; i < 20; ++i) EXPECT_THROW(Session(to, prompter), SessionError);
    EXPECT_EQ(openFiles(), before);
}

}  // namespace
}  // namespace dailies::remote::ssh
