#include "core/base/files.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entriesIn(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

class Files : public testing::Test {
protected:
    fs::path file() const { return m_folder.path() / "config.json"; }
    TemporaryFolder m_folder{"files"};
};

TEST_F(Files, WhatIsWrittenIsReadBackByteForByte) {
    const std::string bytes("a\0b\xff\n", 5);
    writeFileAtomically(file(), bytes);
    EXPECT_EQ(readFile(file()), bytes);
    writeFileAtomically(file(), "");
    EXPECT_EQ(readFile(file()), "");
    EXPECT_EQ(entriesIn(m_folder.path()), 1);
}

TEST_F(Files, MissingFoldersAreMade) {
    writeFileAtomically(m_folder.path() / "a" / "b" / "c", "x");
    EXPECT_EQ(readFile(m_folder.path() / "a" / "b" / "c"), "x");
}

TEST_F(Files, PermissionsAreThoseAskedForWhateverTheUmask) {
    const auto before = ::umask(0077);
    writeFileAtomically(file(), "x");
    ::umask(0000);
    const auto secret = m_folder.path() / "secret";
    writeFileAtomically(secret, "x", fs::perms::owner_read | fs::perms::owner_write);
    ::umask(before);
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms(0644));
    EXPECT_EQ(fs::status(secret).permissions(), fs::perms(0600));
}

TEST_F(Files, AFileThatCannotBeReadIsNamedWithTheReason) {
    try {
        readFile(m_folder.path() / "absent");
        FAIL() << "was read";
    } catch (const Error& error) {
        EXPECT_NE(error.full().find("absent: No such file or directory"), std::string::npos) << error.full();
    }
    EXPECT_THROW(readFile(m_folder.path()), Error) << "a folder";
}

TEST_F(Files, AFullDiskLeavesTheOldFileAndNoLitter) {
    writeFileAtomically(file(), "old");
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit full{4096, 4096};
        ::setrlimit(RLIMIT_FSIZE, &full);
        try {
            writeFileAtomically(file(), std::string(100'000, 'x'));
        } catch (const Error& error) {
            ::_exit(error.full().find("Cannot write " + file().string()) == std::string::npos ? 2 : 0);
        }
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(readFile(file()), "old");
    EXPECT_EQ(entriesIn(m_folder.path()), 1);
}

TEST_F(Files, KilledAtAnyMomentTheFileIsTheOldOneOrTheNewOne) {
    writeFileAtomically(file(), std::string(200'000, '0'));
    for (int round = 0; round < 30; ++round) {
        const pid_t child = ::fork();
        if (child == 0)
            for (char digit = '1';; digit = digit == '9' ? '1' : static_cast<char>(digit + 1))
                writeFileAtomically(file(), std::string(200'000, digit));
        std::this_thread::sleep_for(std::chrono::milliseconds(1 + round % 7));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const std::string bytes = readFile(file());
        ASSERT_EQ(bytes.size(), 200'000u);
        ASSERT_EQ(bytes.find_first_not_of(bytes.front()), std::string::npos);
    }
}

TEST_F(Files, ATemporaryFolderGoesWithEverythingInIt) {
    fs::path path;
    {
        const TemporaryFolder folder("gone");
        path = folder.path();
        writeFileAtomically(path / "a" / "b", "x");
        EXPECT_TRUE(fs::is_directory(path));
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(Files, FoldersOfTheUserFollowTheXdgRules) {
    ::setenv("HOME", "/home/someone", 1);
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("XDG_CONFIG_HOME");
    EXPECT_EQ(userDataFolder(), "/home/someone/.local/share/dailies");
    EXPECT_EQ(userConfigFolder(), "/home/someone/.config/dailies");
    ::setenv("XDG_DATA_HOME", "/data", 1);
    ::setenv("XDG_CONFIG_HOME", "relative", 1);
    EXPECT_EQ(userDataFolder(), "/data/dailies");
    EXPECT_EQ(userConfigFolder(), "/home/someone/.config/dailies") << "relative paths are to be ignored";
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace dailies
