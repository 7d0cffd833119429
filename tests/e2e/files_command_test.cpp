#include "core/base/json.h"
#include "tests/remote/ssh/peer_server.h"
#include "tests/remote/ssh/ssh_server.h"
#include "tests/support/dailies_program.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <pty.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

// Files of a cluster from the command line, and what the program leaves on this machine for others to read.

namespace {

using namespace dailies;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class FilesCommand : public testing::Test {
protected:
    static void SetUpTestSuite() {
        ::unsetenv("SSH_AUTH_SOCK");
        s_folder = std::make_unique<TemporaryFolder>("dailies-files");
        s_key = remote::ssh::makeKey(s_folder->path() / "key");
        s_lockedKey = remote::ssh::makeKey(s_folder->path() / "locked", kPassphrase);
        s_server = std::make_unique<remote::ssh::SshServer>(s_folder->path() / "lab",
                                                            std::vector{s_key, s_lockedKey});
    }
    static void TearDownTestSuite() {
        s_server.reset();
        s_folder.reset();
    }

    FilesCommand() {
        writeFileAtomically(home / "known_hosts", s_server->knownHost());
        Json clusters = Json::array();
        for (const auto& [name, key] : {std::pair{"lab", s_key}, {"locked", s_lockedKey}})
            clusters.push_back({{"name", name},
                                {"host", "127.0.0.1"},
                                {"port", s_server->port()},
                                {"user", ::getpwuid(::getuid())->pw_name},
                                {"identity_file", key.string()},
                                {"known_hosts_file", (home / "known_hosts").string()},
                                {"read_user_config", false},
                                {"workspace", "/nowhere"}});
        writeFileAtomically(home / "config/dailies/clusters.json", Json{{"clusters", clusters}}.dump());
    }

    /// A small dataset: two shards, and a folder of videos with captions.
    fs::path makeDataset() const {
        const auto data = home / "data set";
        fs::create_directories(data / "videos");
        for (int i = 0; i < 30; ++i) {
            writeFileAtomically(data / "videos" / (std::to_string(i) + ".mp4"), std::string(1000, 'v'));
            writeFileAtomically(data / "videos" / (std::to_string(i) + ".txt"), "a red square");
        }
        writeFileAtomically(data / "a.mp4", "m");
        writeFileAtomically(data / "a.latents.npy", "l");
        for (const char* shard : {"000000.tar", "000001.tar"})
            runProcess(
                {"tar", "-cf", (data / shard).string(), "-C", data.string(), "a.mp4", "a.latents.npy"});
        fs::remove(data / "a.mp4");
        fs::remove(data / "a.latents.npy");
        return data;
    }
    std::string there(const std::string& name) const { return (home / "there" / name).string(); }

    static constexpr const char* kPassphrase = "canary-5d1f0c";
    TemporaryFolder m_home{"dailies-files-home"};
    const fs::path& home = m_home.path();
    test::DailiesProgram m_dailies{m_home.path()};
    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline fs::path s_key, s_lockedKey;
    static inline std::unique_ptr<remote::ssh::SshServer> s_server;
};

TEST_F(FilesCommand, ADatasetGoesThereIsFoundByWhatItHoldsAndComesBackEqual) {
    const auto data = makeDataset();
    const auto sent = m_dailies.run({"files", "put", "lab", data.string(), there("") + "/"});
    ASSERT_EQ(sent.status, 0) << sent.err;
    EXPECT_EQ(sent.out, there("data set") + "\n");
    const Json listed = m_dailies.json({"files", "ls", "lab", there("data set")});
    EXPECT_THAT(
        listed.at("hint").get<std::string>(),
        testing::AllOf(HasSubstr("2 WebDataset shards"), HasSubstr("with latents: .latents.npy .mp4")));
    ASSERT_EQ(listed.at("items").size(), 3u);
    EXPECT_EQ(listed.at("items")[0].at("name"), "videos") << "folders stand first";
    EXPECT_EQ(listed.at("items")[0].at("hint"), "30 videos, 30 kB; 30 captions");
    const auto back = m_dailies.run({"files", "get", "lab", there("data set"), (home / "back").string()});
    ASSERT_EQ(back.status, 0) << back.err;
    EXPECT_EQ(runProcess({"diff", "-r", data.string(), (home / "back").string()}).out, "");
    const auto one =
        m_dailies.run({"files", "get", "lab", there("data set/000000.tar"), (home / "one.tar").string()});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(readFile(home / "one.tar"), readFile(data / "000000.tar"));
}

TEST_F(FilesCommand, WhatIsNotThereIsSaidWithWhatToDo) {
    const auto listed = m_dailies.run({"files", "ls", "lab", "/no/such/folder"});
    EXPECT_EQ(listed.status, 1);
    EXPECT_EQ(listed.out, "");
    EXPECT_THAT(listed.err, testing::AllOf(HasSubstr("/no/such/folder"), HasSubstr("Choose a folder")));
    EXPECT_THAT(m_dailies.run({"files", "get", "lab", "/no/such/file"}).err, HasSubstr("files ls"));
    EXPECT_EQ(m_dailies.run({"files", "put", "lab", "/no/such/file", "x"}).status, 2);
    EXPECT_EQ(m_dailies.run({"files", "ls", "nowhere"}).status, 2);
}

TEST_F(FilesCommand, AFolderThatIsBrokenOffGoesOnUnderTheSameNameBothWays) {
    const auto data = home / "many";
    for (int i = 0; i < 200; ++i)
        writeFileAtomically(data / "small" / (std::to_string(i) + ".txt"), std::string(2000, 's'));
    writeFileAtomically(data / "big.bin", std::string(80'000'000, 'b'));
    const auto copyInTwoGoes = [&](const std::vector<std::string>& words, const fs::path& whereItComes,
                                   const fs::path& name) {
        const auto partOfIt = [&] {
            std::uintmax_t size = 0;
            if (!fs::exists(whereItComes)) return size;
            std::error_code vanished;  // files are renamed meanwhile
            for (fs::recursive_directory_iterator at(whereItComes, vanished), end; !vanished && at != end;
                 at.increment(vanished)) {
                std::error_code gone;
                const auto bytes = at->is_regular_file(gone) ? at->file_size(gone) : 0;
                if (!gone) size += bytes;
            }
            return size;
        };
        const pid_t child = m_dailies.start(words);
        for (int tries = 0; tries < 2000 && partOfIt() < 5'000'000; ++tries) ::usleep(5000);
        ::kill(child, SIGINT);
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 1) << "it was interrupted in the middle";
        EXPECT_FALSE(fs::exists(name)) << "a part of a folder is none";
        const auto kept = partOfIt();
        EXPECT_GE(kept, 5'000'000u);
        const auto again = m_dailies.run(words);
        EXPECT_EQ(again.status, 0) << again.err;
        EXPECT_EQ(runProcess({"diff", "-r", data.string(), name.string()}).out, "");
        EXPECT_EQ(std::distance(fs::directory_iterator(whereItComes), fs::directory_iterator()), 1)
            << "nothing else is left";
    };
    fs::create_directories(there(""));
    fs::create_directories(home / "here");
    copyInTwoGoes({"files", "put", "lab", data.string(), there("many")}, there(""), there("many"));
    copyInTwoGoes({"files", "get", "lab", there("many"), (home / "here/name").string()}, home / "here",
                  home / "here/name");
}

TEST_F(FilesCommand, WhatMayNotBeReadIsNamedAndTheRestComes) {
    if (::geteuid() == 0) GTEST_SKIP() << "nothing is closed to root";
    const auto data = makeDataset();
    fs::create_directories(data / "closed");
    fs::permissions(data / "closed", fs::perms::none);
    const auto got = m_dailies.run({"files", "get", "lab", data.string(), (home / "got").string()});
    fs::permissions(data / "closed", fs::perms::owner_all);
    EXPECT_EQ(got.status, 1);
    EXPECT_THAT(got.err, testing::AllOf(HasSubstr("/closed"), HasSubstr("What could be copied is in")));
}

TEST_F(FilesCommand, OnlyFilesTravelAndWhatElseThereIsIsNamed) {
    const auto data = makeDataset();
    fs::create_symlink("nowhere", data / "broken");
    fs::create_directory_symlink("/", data / "everything");
    const auto sent = m_dailies.run({"files", "put", "lab", data.string(), there("set")});
    ASSERT_EQ(sent.status, 0) << sent.err;
    EXPECT_THAT(sent.err, testing::AllOf(HasSubstr("broken"), HasSubstr("everything")));
    EXPECT_FALSE(fs::exists(there("set/everything")));
}

TEST_F(FilesCommand, DotsAtTheEndOfAPathDoNotLeadOutOfTheFolder) {
    makeDataset();
    const auto got = m_dailies.run(
        {"files", "get", "lab", (home / "data set/videos/..").string(), (home / "into/").string()});
    ASSERT_EQ(got.status, 0) << got.err;
    EXPECT_TRUE(fs::exists(home / "into/data set/videos/0.mp4"));
    EXPECT_EQ(m_dailies.run({"files", "get", "lab", "/"}).status, 2);
}

TEST_F(FilesCommand, NamesFromTheClusterCannotSpeakToTheTerminal) {
    fs::create_directories(there("evil"));
    for (const char* name : {"red\x1b[31m", "title\x1b]0;x\x07", "reversed\u202egnp", "two\nlines"})
        writeFileAtomically(fs::path(there("evil")) / name, "x");
    const auto listed = m_dailies.run({"files", "ls", "lab", there("evil")});
    ASSERT_EQ(listed.status, 0) << listed.err;
    for (const char* part : {"\x1b", "\x07", "\u202e"}) EXPECT_THAT(listed.out, Not(HasSubstr(part)));
    EXPECT_EQ(std::ranges::count(listed.out, '\n'), 5) << "a name is one line";
    EXPECT_EQ(m_dailies.json({"files", "ls", "lab", there("evil")}).at("items").size(), 4u);
}

TEST_F(FilesCommand, NothingThatTheProgramMakesIsReadableForOthersWhateverTheUmask) {
    const auto before = ::umask(0);
    EXPECT_EQ(m_dailies.run({"runs"}).status, 0);
    EXPECT_EQ(m_dailies.run({"files", "put", "lab", makeDataset().string(), there("set")}).status, 0);
    EXPECT_EQ(
        m_dailies.run({"files", "get", "lab", there("set"), (home / "data/dailies/got").string()}).status, 0);
    ::umask(before);
    const auto data = home / "data/dailies";
    struct stat status {};
    ASSERT_EQ(::stat(data.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 077, 0u) << "the folder of all runs";
    for (const auto& entry : fs::recursive_directory_iterator(data)) {
        ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 077, 0u) << entry.path();
    }
}

using Answers =
    std::vector<std::pair<std::string, std::string>>;  ///< a part of each question, and its answer

/// Answers on a terminal of its own; what the program showed there.
std::string onATerminal(const std::vector<std::string>& words, const fs::path& home, const Answers& answers,
                        const std::function<void(pid_t)>& look) {
    const std::string program = DAILIES_BINARY_FOLDER "/dailies";
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
        ::setenv("XDG_CONFIG_HOME", (home / "config").c_str(), 1);
        ::setenv("XDG_DATA_HOME", (home / "data").c_str(), 1);
        ::setenv("XDG_STATE_HOME", (home / "state").c_str(), 1);
        std::vector<char*> arguments{const_cast<char*>(program.c_str())};
        for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        ::execv(program.c_str(), arguments.data());
        ::_exit(127);
    }
    std::string shown;
    std::size_t answered = 0, from = 0;
    for (std::array<char, 4096> buffer{};;) {
        pollfd wait{terminal, POLLIN, 0};
        if (::poll(&wait, 1, 60'000) <= 0) break;
        const auto count = ::read(terminal, buffer.data(), buffer.size());
        if (count <= 0) break;
        shown.append(buffer.data(), static_cast<std::size_t>(count));
        look(child);
        if (answered < answers.size() && shown.find(answers[answered].first, from) != std::string::npos) {
            // the terminal's echo is turned off before the question is asked for an answer
            const auto line = answers[answered++].second + "\n";
            from = shown.size();
            EXPECT_EQ(::write(terminal, line.data(), line.size()), static_cast<ssize_t>(line.size()));
        }
    }
    ::kill(child, SIGTERM);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(terminal);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << shown;
    EXPECT_EQ(answered, answers.size()) << shown;
    return shown;
}

/// Signs in to `cluster` and lists `folder`, which must show "data set"; then looks for `secret` everywhere.
void expectNoTrace(const std::string& cluster, const fs::path& folder, const Answers& answers,
                   const std::string& secret) {
    bool limitSeen = false;
    std::string processes;
    const auto look = [&](pid_t child) {
        std::ifstream limits("/proc/" + std::to_string(child) + "/limits");
        for (std::string line; std::getline(limits, line);)
            if (line.starts_with("Max core file size")) {
                limitSeen = true;
                EXPECT_EQ(line.find("unlimited"), std::string::npos) << line;
            }
        for (const auto& entry : fs::directory_iterator("/proc"))
            for (const char* file : {"cmdline", "environ"}) {
                std::ifstream in(entry.path() / file, std::ios::binary);
                processes.append(std::istreambuf_iterator<char>(in), {});
            }
    };
    const auto shown = onATerminal({"files", "ls", cluster, folder.string()}, folder, answers, look);
    EXPECT_THAT(shown, HasSubstr("data set/"));
    EXPECT_TRUE(limitSeen);
    EXPECT_EQ(shown.find(secret), std::string::npos) << "the answer is not shown";
    EXPECT_EQ(processes.find(secret), std::string::npos) << "a command line or an environment has it";
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) {
            EXPECT_EQ(readFile(entry.path()).find(secret), std::string::npos) << entry.path();
        }
}

TEST_F(FilesCommand, APassphraseIsNowhereAfterwards) {
    makeDataset();
    expectNoTrace("locked", home, {{"assphrase", kPassphrase}}, kPassphrase);
    EXPECT_EQ(readFile(s_server->log()).find(kPassphrase), std::string::npos);
}

TEST_F(FilesCommand, APasswordIsNowhereAfterwardsHoweverItIsAskedFor) {
    const std::string password = "canary-8e07b3";
    const TemporaryFolder elsewhere;
    writeFileAtomically(elsewhere.path() / "password", password);
    const remote::ssh::PeerServer server(elsewhere.path() / "password");
    makeDataset();
    writeFileAtomically(home / "known_hosts", server.knownHost());
    Json clusters = Json::array();
    for (const char* user : {"password", "questions"})
        clusters.push_back({{"name", user},
                            {"host", "127.0.0.1"},
                            {"port", server.port()},
                            {"user", user},
                            {"known_hosts_file", (home / "known_hosts").string()},
                            {"read_user_config", false},
                            {"workspace", "/nowhere"}});
    writeFileAtomically(home / "config/dailies/clusters.json", Json{{"clusters", clusters}}.dump());
    expectNoTrace("password", home, {{"assword", password}}, password);
    expectNoTrace("questions", home, {{"Password", password}, {"Verification code", "123456"}}, password);
}

}  // namespace
