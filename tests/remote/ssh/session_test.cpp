#include "core/base/process.h"
#include "core/base/text.h"
#include "remote/ssh/host_config.h"
#include "tests/remote/ssh/changed_sshd.h"
#include "tests/remote/ssh/cluster_fixture.h"

#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

namespace dailies::remote::ssh {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// While one lives, this runs before every command, as start-up files of a shell do. Every shell has files of
/// its own, so it is done where all of them pass: in sshd, as some clusters do.
class StartUpFiles : public ChangedSshd {
public:
    StartUpFiles(const fs::path& sandbox, const std::string& commands)
        : ChangedSshd(sandbox, configOf(sandbox) +
                                   "ForceCommand case \"$SSH_ORIGINAL_COMMAND\" in internal-sftp) exec "
                                   "/usr/lib/openssh/sftp-server;; esac; " +
                                   commands + "; eval \"$SSH_ORIGINAL_COMMAND\"\n") {}
};

using SessionTest = ClusterTest;

TEST_F(SessionTest, RunsAScriptAndGivesItsStreamsAndItsExitCode) {
    const auto session = connect();
    const auto result = session->run("echo to out\necho to err >&2\nexit 3");
    EXPECT_EQ(result.exitCode, 3);
    EXPECT_EQ(result.out, "to out\n");
    EXPECT_EQ(result.err, "to err\n");
    EXPECT_TRUE(session->run("true").ok());
    EXPECT_EQ(session->run("printf 'no line end'").out, "no line end");
    EXPECT_EQ(session->run("").out, "");
}

TEST_F(SessionTest, CarriesHostileTextsUnchanged) {
    const auto session = connect();
    const std::vector<std::string> texts{
        "it's \"quoted\"", "$(touch /tmp/x) `id` $HOME", "two\nlines\n", "tab\tstar * ? [a-z]",
        "żółć 日本 🎬",     "!history ; & | > <",         "-n",           "back\\slash",
        "\x1b[31mred\x07"};
    for (const auto& text : texts) EXPECT_EQ(session->run("printf %s " + shellQuote(text)).out, text);
    session->write(remotePath("odd 'name' $(x) 日本"), "kept");
    EXPECT_EQ(session->readAll(remotePath("odd 'name' $(x) 日本")), "kept");
    EXPECT_EQ(session->run("cat " + shellQuote(remotePath("odd 'name' $(x) 日本"))).out, "kept");
}

TEST_F(SessionTest, GivesAScriptNothingToReadAndNoRestOfItself) {
    EXPECT_EQ(connect()->run("cat; echo after cat").out, "after cat\n");
}

TEST_F(SessionTest, ReportsTheSignalThatKilledAScript) {
    const auto session = connect();
    EXPECT_EQ(session->run("kill -9 $$").exitCode, 128 + 9);
    EXPECT_EQ(session->run("sh -c 'kill -15 $$'").exitCode, 128 + 15);
}

TEST_F(SessionTest, DoesNotWaitForWhatAScriptLeavesRunning) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(connect()->run("sleep 20 &\necho started").out, "started\n");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
}

TEST_F(SessionTest, WaitsForASilentScriptLongerThanTheTimeout) {
    auto quick = endpoint();
    quick.timeout = 2s;
    Session session(quick, prompter);
    EXPECT_EQ(session.run("sleep 5; echo done").out, "done\n");
}

TEST_F(SessionTest, CutsOffWhatStartUpFilesPrint) {
    const StartUpFiles noise(s_folder->path() / "s", "echo Welcome; echo Maintenance on Monday >&2");
    const auto raw = runProcess({"ssh", "-F", "none", "-i", s_profile.identityFile, "-o",
                                 "UserKnownHostsFile=" + s_profile.knownHostsFile, "-p",
                                 std::to_string(s_profile.port), s_profile.user + "@127.0.0.1", "true"});
    ASSERT_EQ(raw.out, "Welcome\n") << "the noise itself is missing";
    const auto result = connect()->run("echo answer; echo question >&2");
    EXPECT_EQ(result.out, "answer\n");
    EXPECT_EQ(result.err, "question\n");
}

/// As `StartUpFiles`, in front of SFTP, too.
ChangedSshd noisyEverywhere(const fs::path& sandbox, const std::string& commands) {
    return ChangedSshd(sandbox, ChangedSshd::configOf(sandbox) + "ForceCommand " + commands +
                                    "; case \"$SSH_ORIGINAL_COMMAND\" in internal-sftp) exec "
                                    "/usr/lib/openssh/sftp-server;; esac; eval \"$SSH_ORIGINAL_COMMAND\"\n");
}

TEST_F(SessionTest, NamesStartUpFilesThatPrintWhereSftpFails) {
    // An empty line is read as the beginning of a large packet: SFTP waits for the rest.
    for (const char* noise : {"echo Welcome to Hopper", "echo"}) {
        const auto changed = noisyEverywhere(s_folder->path() / "s", noise);
        auto quick = endpoint();
        quick.timeout = 3s;
        for (const bool commandFirst : {true, false}) {
            if (!commandFirst && std::string(noise) == "echo") continue;  // the connection is lost first
            Session session(quick, prompter);
            if (commandFirst) {
                EXPECT_EQ(session.run("echo answer").out, "answer\n");
            }
            const auto failure = failureOf([&] { session.stat("/"); });
            ASSERT_TRUE(failure) << noise;
            EXPECT_THAT(failure->what(), testing::HasSubstr("start-up files print"));
            EXPECT_THAT(failure->what(), testing::HasSubstr(commandFirst && std::string(noise) == "echo"
                                                                ? "an empty line"
                                                                : "Welcome to Hopper"));
            EXPECT_THAT(failure->remedy(), testing::HasSubstr("`" + sshCommand(quick, "true") + "`"));
        }
    }
}

TEST_F(SessionTest, NamesAShellThatRunsNoCommands) {
    for (const char* shell : {"/bin/false", "echo This account is currently not available.; exit 1"}) {
        const ChangedSshd dead(s_folder->path() / "s", ChangedSshd::configOf(s_folder->path() / "s") +
                                                           "ForceCommand " + shell + "\n");
        Session session(endpoint(), prompter);
        const auto failure = failureOf([&] { session.run("echo answer"); });
        ASSERT_TRUE(failure) << shell;
        EXPECT_THAT(failure->what(), testing::HasSubstr("does not run commands: it exited with status 1"));
        EXPECT_THAT(failure->remedy(), testing::HasSubstr("`" + sshCommand(endpoint(), "true") + "`"));
        if (std::string(shell) != "/bin/false") {
            EXPECT_THAT(failure->what(), testing::HasSubstr("not available"));
        }
    }
}

TEST_F(SessionTest, WaitsForALoginShellThatStartsSlowlyBeforeItUploads) {
    const StartUpFiles slow(s_folder->path() / "s", "sleep 5");
    auto quick = endpoint();
    quick.timeout = 3s;
    Session session(quick, prompter);
    writeFileAtomically(scratch.path() / "local", std::string(4'000'000, 'x'));
    session.upload(scratch.path() / "local", remotePath("slowly"));
    EXPECT_EQ(readFile(remotePath("slowly")), std::string(4'000'000, 'x'));
}

TEST_F(SessionTest, RefusesEndlessOutput) {
    const auto session = connect();
    const auto failure = failureOf([&] { session->run("cat /dev/zero"); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->failure(), Failure::Remote);
    EXPECT_EQ(session->run("echo alive").out, "alive\n");
}

TEST_F(SessionTest, TellsWhetherAFileExists) {
    const auto session = connect();
    writeFileAtomically(remotePath("five"), "12345");
    const auto found = session->stat(remotePath("five"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size, 5u);
    EXPECT_FALSE(found->isFolder);
    EXPECT_NEAR(static_cast<double>(found->modified), static_cast<double>(std::time(nullptr)), 5);
    EXPECT_TRUE(session->stat(scratch.path().string())->isFolder);
    EXPECT_FALSE(session->stat(remotePath("absent/file")));
}

TEST_F(SessionTest, ListsAFolderWithoutDotsAndNotThroughLinks) {
    const auto session = connect();
    writeFileAtomically(remotePath("folder/b.txt"), "b");
    fs::create_directory(remotePath("folder/a"));
    fs::create_symlink("/", remotePath("folder/root"));
    const auto entries = session->list(remotePath("folder"));
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].name, "a");
    EXPECT_TRUE(entries[0].stat.isFolder);
    EXPECT_EQ(entries[1].name, "b.txt");
    EXPECT_EQ(entries[2].name, "root");
    EXPECT_FALSE(entries[2].stat.isFolder) << "a link is not a folder to descend into";
    const auto failure = failureOf([&] { session->list(remotePath("absent")); });
    ASSERT_TRUE(failure);
    EXPECT_NE(std::string(failure->what()).find("no such"), std::string::npos) << failure->what();
}

TEST_F(SessionTest, WritesWholeFilesWithTheirModeAndReplacesOldOnes) {
    const auto session = connect();
    const auto path = remotePath("new/deep/config.json");
    session->write(path, "first", 0600);
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    const auto big = noise(3'000'000);
    session->write(path, big);
    EXPECT_EQ(readFile(path), big);
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path).parent_path()), {}), 1)
        << "a temporary file was left";
    session->remove(path);
    session->remove(path);  // absent is fine
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(SessionTest, ReadsRangesAsTheEventTailDoes) {
    const auto session = connect();
    const auto bytes = noise(700'001);
    writeFileAtomically(remotePath("events"), bytes);
    EXPECT_EQ(session->read(remotePath("events"), 0, bytes.size() + 100), bytes);
    EXPECT_EQ(session->read(remotePath("events"), 123'457, 300'000), bytes.substr(123'457, 300'000));
    EXPECT_EQ(session->read(remotePath("events"), bytes.size(), 10), "");
    EXPECT_EQ(session->read(remotePath("events"), bytes.size() + 10, 10), "");
    EXPECT_TRUE(failureOf([&] { session->readAll(remotePath("events"), 1000); })) << "over the limit";
}

TEST_F(SessionTest, RefusesToReadWhatIsNoFile) {
    const auto session = connect();
    ASSERT_EQ(::mkfifo(remotePath("pipe").c_str(), 0600), 0);
    EXPECT_TRUE(failureOf([&] { session->readAll(remotePath("pipe")); }));
    EXPECT_TRUE(failureOf([&] { session->readAll("/dev/zero"); }));
    EXPECT_TRUE(failureOf([&] { session->download(scratch.path().string(), scratch.path() / "x"); }));
    EXPECT_TRUE(session->run("true").ok());
}

TEST_F(SessionTest, MovesTwentyMegabytesBothWaysUnchanged) {
    const auto session = connect();
    const auto bytes = noise(20'000'003);
    writeFileAtomically(scratch.path() / "local", bytes);
    session->upload(scratch.path() / "local", remotePath("up/there"), 0640);
    EXPECT_TRUE(readFile(remotePath("up/there")) == bytes);
    struct stat info {};
    ASSERT_EQ(::stat(remotePath("up/there").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u);
    std::uint64_t last = 0;
    session->download(remotePath("up/there"), scratch.path() / "down/back", {},
                      [&](std::uint64_t done, std::uint64_t total) {
                          EXPECT_GE(done, last);
                          EXPECT_EQ(total, bytes.size());
                          last = done;
                      });
    EXPECT_EQ(last, bytes.size());
    EXPECT_TRUE(readFile(scratch.path() / "down/back") == bytes);
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path() / "down"), {}), 1)
        << "a partial file was left";
    writeFileAtomically(scratch.path() / "empty", "");
    session->upload(scratch.path() / "empty", remotePath("up/empty"));
    session->download(remotePath("up/empty"), scratch.path() / "down/empty");
    EXPECT_EQ(fs::file_size(scratch.path() / "down/empty"), 0u);
}

TEST_F(SessionTest, GoesOnWithAPartialDownloadAndStartsAfreshWhenTheFileChanged) {
    const auto bytes = noise(8'000'000);
    writeFileAtomically(remotePath("file"), bytes);
    const auto session = connect();
    std::stop_source stop;
    EXPECT_THROW(session->download(remotePath("file"), scratch.path() / "copy", stop.get_token(),
                                   [&](std::uint64_t done, std::uint64_t) {
                                       if (done > 3'000'000) stop.request_stop();
                                   }),
                 Cancelled);
    EXPECT_FALSE(fs::exists(scratch.path() / "copy"));
    EXPECT_TRUE(session->connected()) << "a cancelled download leaves the session usable";
    std::optional<std::uint64_t> first;
    session->download(remotePath("file"), scratch.path() / "copy", {},
                      [&](std::uint64_t done, std::uint64_t) {
                          if (!first) first = done;
                      });
    EXPECT_GT(*first, 3'000'000u) << "it started over";
    EXPECT_TRUE(readFile(scratch.path() / "copy") == bytes);

    std::stop_source again;
    EXPECT_THROW(session->download(remotePath("file"), scratch.path() / "copy2", again.get_token(),
                                   [&](std::uint64_t done, std::uint64_t) {
                                       if (done > 3'000'000) again.request_stop();
                                   }),
                 Cancelled);
    const auto other = noise(8'000'001).substr(1) + "x";
    writeFileAtomically(remotePath("file"), other);
    session->download(remotePath("file"), scratch.path() / "copy2");
    EXPECT_TRUE(readFile(scratch.path() / "copy2") == other);
}

TEST_F(SessionTest, ServesTwoSessionsInTwoThreadsAtOnce) {
    writeFileAtomically(remotePath("shared"), noise(5'000'000));
    const auto work = [this](int number) {
        ScriptedPrompter mine;
        Session session(endpoint(), mine);
        for (int i = 0; i < 20; ++i) {
            const auto text = std::to_string(number) + "/" + std::to_string(i);
            ASSERT_EQ(session.run("echo " + text).out, text + "\n");
        }
        const auto copy = scratch.path() / ("copy" + std::to_string(number));
        session.download(remotePath("shared"), copy);
        EXPECT_TRUE(readFile(copy) == noise(5'000'000));
    };
    std::thread first(work, 1), second(work, 2);
    first.join();
    second.join();
}

}  // namespace
}  // namespace dailies::remote::ssh
