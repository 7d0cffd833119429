#include "core/base/process.h"
#include "tests/remote/ssh/cluster_fixture.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace dailies::remote::ssh {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class FailureTest : public ClusterTest {
protected:
    std::optional<SessionError> failureToConnect(const Endpoint& to) {
        return failureOf([&] { const Session session(to, prompter); });
    }

    /// A fresh key pair; returns the private key's file.
    std::filesystem::path makeKey(const std::string& name, const std::string& passphrase = "",
                                  const std::string& type = "ed25519") const {
        const auto file = scratch.path() / name;
        EXPECT_TRUE(runProcess({"ssh-keygen", "-q", "-t", type, "-N", passphrase, "-f", file.string()}).ok());
        return file;
    }

    std::string publicKey(const std::filesystem::path& key) const {
        const auto text = readFile(key.string() + ".pub");
        return text.substr(0, text.find(' ', text.find(' ') + 1));
    }

    static void expectText(const std::optional<SessionError>& failure, Failure kind,
                           const std::string& part) {
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->failure(), kind) << failure->full();
        EXPECT_NE(failure->full().find(part), std::string::npos) << failure->full();
    }
};

/// Accepts TCP connections, says something (or nothing), perhaps something else for ever, and keeps them
/// open.
class TalkingServer {
public:
    explicit TalkingServer(std::string words, std::string forEver = {})
        : m_words(std::move(words)), m_forEver(std::move(forEver)) {
        m_listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(m_listener, reinterpret_cast<sockaddr*>(&address), size);
        ::listen(m_listener, 5);
        ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &size);
        m_port = ntohs(address.sin_port);
        m_thread = std::thread([this] {
            for (;;) {
                const int client = ::accept(m_listener, nullptr, nullptr);
                if (client < 0) return;
                bool listening = ::send(client, m_words.data(), m_words.size(), MSG_NOSIGNAL) >= 0;
                while (listening && !m_forEver.empty())
                    listening = ::send(client, m_forEver.data(), m_forEver.size(), MSG_NOSIGNAL) > 0;
                if (!listening) ::close(client);
            }
        });
    }
    ~TalkingServer() {
        ::shutdown(m_listener, SHUT_RDWR);
        m_thread.join();
        ::close(m_listener);
    }
    int port() const { return m_port; }

private:
    std::string m_words, m_forEver;
    int m_listener = -1;
    int m_port = 0;
    std::thread m_thread;
};

TEST_F(FailureTest, UnknownHostNameIsNamed) {
    auto to = endpoint();
    to.host = "no-such-host.invalid";
    expectText(failureToConnect(to), Failure::Unreachable, "no-such-host.invalid");
}

TEST_F(FailureTest, RefusedPortIsNamed) {
    auto to = endpoint();
    to.port = 1;
    expectText(failureToConnect(to), Failure::Unreachable, "127.0.0.1 port 1");
}

TEST_F(FailureTest, HostThatIsNoPlainNameIsRefusedBeforeAnyShellSeesIt) {
    auto to = endpoint();
    to.host = "-oProxyCommand=touch /tmp/x";
    EXPECT_THROW(Session(to, prompter), InputError);
    to = endpoint();
    to.user = "x; touch /tmp/x";
    EXPECT_THROW(Session(to, prompter), InputError);
}

TEST_F(FailureTest, ServerThatSpeaksSomethingElseIsNoSshServer) {
    const TalkingServer web("HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n");
    auto to = endpoint();
    to.port = web.port();
    to.timeout = 3s;
    const auto begin = Clock::now();
    expectText(failureToConnect(to), Failure::Unreachable, "is not an SSH server");
    EXPECT_LT(Clock::now() - begin, 5s);
}

TEST_F(FailureTest, ServerThatTalksWithoutEndIsGivenUpWithinTheTimeout) {
    const std::string line(60, 'x'), greeting = "SSH-2.0-endless\r\n";
    const std::string hugePacket = greeting + std::string("\x7f\xff\xff\xf0", 4);
    const std::string validPackets = [] {  // SSH_MSG_IGNORE, which every conversation may hold
        std::string packet("\0\0\0\x0c\x06\x02\0\0\0\0", 10);
        return packet + std::string(6, '\0');
    }();
    const std::vector<std::pair<std::string, std::string>> talks{{"", line + "\r\n"},
                                                                 {"", line},
                                                                 {hugePacket, noise(1 << 16)},
                                                                 {greeting, noise(1 << 16)},
                                                                 {greeting, validPackets}};
    for (const auto& [words, forEver] : talks) {
        const TalkingServer endless(words, forEver);
        auto to = endpoint();
        to.port = endless.port();
        to.timeout = 3s;
        const auto begin = Clock::now();
        expectText(failureToConnect(to), Failure::Unreachable, "SSH");
        EXPECT_LT(Clock::now() - begin, 5s);
    }
}

TEST_F(FailureTest, SilentServerIsGivenUpWithinTheTimeout) {
    const TalkingServer silent("");
    auto to = endpoint();
    to.port = silent.port();
    to.timeout = 2s;
    const auto begin = Clock::now();
    expectText(failureToConnect(to), Failure::Unreachable, "says nothing");
    EXPECT_LT(Clock::now() - begin, 3s);
}

TEST_F(FailureTest, ConnectingCanBeCancelledAtAnyMoment) {
    const TalkingServer silent("");
    auto to = endpoint();
    to.port = silent.port();
    std::stop_source stop;
    std::thread later([&] {
        std::this_thread::sleep_for(300ms);
        stop.request_stop();
    });
    const auto begin = Clock::now();
    EXPECT_THROW(Session(to, prompter, stop.get_token()), Cancelled);
    EXPECT_LT(Clock::now() - begin, 1s);
    later.join();
    to.host = "192.0.2.1";  // reserved for documentation: packets to it vanish
    std::stop_source already;
    already.request_stop();
    EXPECT_THROW(Session(to, prompter, already.get_token()), Cancelled);
}

TEST_F(FailureTest, ARealConversationCanBeCancelledAtAnyMomentOfIt) {
    for (auto delay = 0ms; delay < 250ms; delay += 5ms) {
        std::stop_source stop;
        std::jthread later([&] {
            std::this_thread::sleep_for(delay);
            stop.request_stop();
        });
        const auto begin = Clock::now();
        try {
            Session session(endpoint(), prompter, stop.get_token());
        } catch (const Cancelled&) {
        }
        ASSERT_LT(Clock::now() - begin, 2s) << "stopped after " << delay.count() << " ms";
    }
}

TEST_F(FailureTest, WrongKeySaysWhatTheServerAccepts) {
    auto to = endpoint();
    to.identityFile = makeKey("stranger");
    const auto failure = failureToConnect(to);
    expectText(failure, Failure::Authentication, "stranger");
    expectText(failure, Failure::Authentication, "It accepts a key");
    EXPECT_TRUE(prompter.questions.empty());
}

TEST_F(FailureTest, MissingKeyFileIsNamed) {
    auto to = endpoint();
    to.identityFile = scratch.path() / "nowhere";
    expectText(failureToConnect(to), Failure::Authentication, "nowhere");
}

TEST_F(FailureTest, EncryptedKeyIsAskedForByNameAndOpensWithItsPassphrase) {
    const auto authorized = std::filesystem::path(s_profile.identityFile).parent_path() / "authorized_keys";
    const auto before = readFile(authorized);
    auto to = endpoint();
    to.identityFile = makeKey("locked", "open sesame");
    writeFileAtomically(authorized, before + publicKey(to.identityFile) + "\n");
    prompter.answer = "open sesame";
    EXPECT_FALSE(failureToConnect(to));
    ASSERT_EQ(prompter.questions.size(), 1u);
    EXPECT_NE(prompter.questions[0].find("locked"), std::string::npos) << prompter.questions[0];
    prompter.answer = "wrong";
    expectText(failureToConnect(to), Failure::Authentication, "locked");
    prompter.answer.reset();
    EXPECT_THROW(Session(to, prompter), Cancelled);
    writeFileAtomically(authorized, before);
}

TEST_F(FailureTest, UnknownHostKeyIsAskedAboutAndKeptWhenWanted) {
    auto to = endpoint();
    to.knownHostsFile = scratch.path() / "new/known_hosts";
    expectText(failureToConnect(to), Failure::HostKey, "not accepted");
    ASSERT_EQ(prompter.asked.size(), 1u);
    EXPECT_EQ(prompter.asked[0].host, "[127.0.0.1]:" + std::to_string(s_profile.port));
    EXPECT_EQ(prompter.asked[0].type, "ssh-ed25519");
    const auto fingerprint =
        runProcess({"ssh-keygen", "-l", "-F", prompter.asked[0].host, "-f", s_profile.knownHostsFile}).out;
    EXPECT_NE(fingerprint.find(prompter.asked[0].fingerprint), std::string::npos) << fingerprint;
    EXPECT_FALSE(std::filesystem::exists(to.knownHostsFile));
    prompter.trust = Prompter::Trust::Once;
    EXPECT_FALSE(failureToConnect(to));
    EXPECT_FALSE(std::filesystem::exists(to.knownHostsFile));
    prompter.trust = Prompter::Trust::Save;
    EXPECT_FALSE(failureToConnect(to));
    EXPECT_FALSE(failureToConnect(to));
    EXPECT_EQ(prompter.asked.size(), 3u) << "a saved key is not asked about again";
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(to.knownHostsFile).permissions(),
              perms::owner_read | perms::owner_write);
}

TEST_F(FailureTest, ChangedHostKeyIsRefusedWithTheLineToMendAndBothFingerprints) {
    auto to = endpoint();
    to.knownHostsFile = scratch.path() / "known_hosts";
    const auto host = "[127.0.0.1]:" + std::to_string(s_profile.port);
    const auto other = makeKey("other");
    writeFileAtomically(to.knownHostsFile, "# mine\n" + host + " " + publicKey(other) + "\n");
    prompter.trust = Prompter::Trust::Save;
    const auto failure = failureToConnect(to);
    expectText(failure, Failure::HostKey, "known_hosts line 2");
    const auto expected = runProcess({"ssh-keygen", "-l", "-f", other.string()}).out;
    expectText(failure, Failure::HostKey, expected.substr(4, 50));
    EXPECT_TRUE(prompter.asked.empty()) << "a changed key is no question";
    EXPECT_TRUE(prompter.questions.empty());

    writeFileAtomically(to.knownHostsFile, host + " " + publicKey(makeKey("rsa", "", "rsa")) + "\n");
    expectText(failureToConnect(to), Failure::HostKey, "ssh-rsa");
    const auto right = readFile(s_profile.knownHostsFile);
    writeFileAtomically(to.knownHostsFile, right + "@revoked " + right);
    expectText(failureToConnect(to), Failure::HostKey, "revoked");
    EXPECT_TRUE(prompter.asked.empty());
}

TEST_F(FailureTest, KilledServerIsNoticedAtOnceInTheMiddleOfATransfer) {
    writeFileAtomically(remotePath("big"), noise(60'000'000));
    const auto session = connect();
    const auto server = serverOf(*session);
    Clock::time_point killed;
    const auto failure = failureOf([&] {
        session->download(remotePath("big"), scratch.path() / "copy", {},
                          [&](std::uint64_t done, std::uint64_t) {
                              if (done > 1'000'000 && killed == Clock::time_point()) {
                                  killed = Clock::now();
                                  ::kill(server, SIGKILL);
                              }
                          });
    });
    expectText(failure, Failure::Lost, "lost");
    EXPECT_LT(Clock::now() - killed, 2s);
    EXPECT_FALSE(session->connected());
    expectText(failureOf([&] { session->run("true"); }), Failure::Lost, "127.0.0.1");
}

TEST_F(FailureTest, FrozenServerIsNoticedWithinTheTimeLimit) {
    writeFileAtomically(remotePath("big"), noise(60'000'000));
    const auto session = connect();
    const auto server = serverOf(*session);
    Clock::time_point frozen;
    const auto transfer = failureOf([&] {
        session->download(remotePath("big"), scratch.path() / "copy", {},
                          [&](std::uint64_t done, std::uint64_t) {
                              if (done > 1'000'000 && frozen == Clock::time_point()) {
                                  frozen = Clock::now();
                                  ::kill(server, SIGSTOP);
                              }
                          });
    });
    EXPECT_LT(Clock::now() - frozen, Endpoint{}.timeout + 5s);  // a busy machine adds seconds
    ::kill(server, SIGKILL);
    expectText(transfer, Failure::Lost, "stopped answering");
}

TEST_F(FailureTest, FrozenServerIsNoticedWhileAScriptRunsSilently) {
    const auto session = connect(3s);
    const auto server = serverOf(*session);
    std::thread later([server] {
        std::this_thread::sleep_for(500ms);
        ::kill(server, SIGSTOP);
    });
    const auto begin = Clock::now();
    const auto failure = failureOf([&] { session->run("sleep 60"); });
    EXPECT_LT(Clock::now() - begin, 10s);
    later.join();
    ::kill(server, SIGKILL);
    expectText(failure, Failure::Lost, "stopped answering");
}

TEST_F(FailureTest, KeepAliveNoticesAFrozenServer) {
    const auto session = connect(3s);
    session->keepAlive();
    EXPECT_TRUE(session->connected());
    const auto server = serverOf(*session);
    ::kill(server, SIGSTOP);
    const auto begin = Clock::now();
    expectText(failureOf([&] { session->keepAlive(); }), Failure::Lost, "stopped answering");
    EXPECT_LT(Clock::now() - begin, 10s);
    ::kill(server, SIGKILL);
}

TEST_F(FailureTest, AbortEndsABlockedCallAtOnce) {
    const auto session = connect();
    std::thread later([&] {
        std::this_thread::sleep_for(300ms);
        session->abort();
    });
    const auto begin = Clock::now();
    expectText(failureOf([&] { session->run("sleep 60"); }), Failure::Lost, "lost");
    EXPECT_LT(Clock::now() - begin, 1s);
    later.join();
}

TEST_F(FailureTest, StopEndsARunningScriptAndKeepsTheSession) {
    const auto session = connect();
    std::stop_source stop;
    std::thread later([&] {
        std::this_thread::sleep_for(300ms);
        stop.request_stop();
    });
    const auto begin = Clock::now();
    EXPECT_THROW(session->run("sleep 60", stop.get_token()), Cancelled);
    EXPECT_LT(Clock::now() - begin, 1s);
    later.join();
    EXPECT_EQ(session->run("echo alive").out, "alive\n");
}

TEST_F(FailureTest, StopEndsATransferFromAFrozenServer) {
    writeFileAtomically(remotePath("big"), noise(60'000'000));
    const auto session = connect();
    const auto server = serverOf(*session);
    std::stop_source stop;
    Clock::time_point asked;
    std::thread later;
    EXPECT_THROW(session->download(remotePath("big"), scratch.path() / "copy", stop.get_token(),
                                   [&](std::uint64_t done, std::uint64_t) {
                                       if (done < 1'000'000 || later.joinable()) return;
                                       ::kill(server, SIGSTOP);
                                       later = std::thread([&] {
                                           std::this_thread::sleep_for(500ms);
                                           asked = Clock::now();
                                           stop.request_stop();
                                       });
                                   }),
                 Cancelled);
    EXPECT_LT(Clock::now() - asked, 1s);
    later.join();
    ::kill(server, SIGKILL);
}

TEST_F(FailureTest, UnwritablePlacesAreNamed) {
    const auto session = connect();
    expectText(failureOf([&] { session->write("/proc/nothing/here", "x"); }), Failure::Remote,
               "/proc/nothing");
    writeFileAtomically(scratch.path() / "local", noise(1'000'000));
    expectText(failureOf([&] { session->upload(scratch.path() / "local", "/proc/here"); }), Failure::Remote,
               "/proc/here");
    writeFileAtomically(remotePath("file"), "x");
    expectText(failureOf([&] { session->makeFolders(remotePath("file/folder")); }), Failure::Remote, "file");
    expectText(failureOf([&] { session->readAll(remotePath("absent")); }), Failure::Remote, "no such file");
    EXPECT_THROW(session->download(remotePath("file"), "/proc/nothing/here"), Error);
    EXPECT_TRUE(session->run("true").ok());
}

}  // namespace
}  // namespace dailies::remote::ssh
