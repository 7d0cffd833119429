// The log as a file: its lines, its size, several programs at once, and what happens where it cannot be
// written.
#include "core/log/log.h"

#include "core/base/files.h"
#include "core/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <regex>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::log {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LogTest : public testing::Test {
protected:
    LogFile file(std::uint64_t bytes = 1 << 20, int files = 3) const {
        return {scratch.path() / "state" / "dailies.log", bytes, files};
    }
    std::vector<std::string> lines(const LogFile& of) const {
        auto found = split(lastLines(of, 1'000'000), '\n');
        if (!found.empty() && found.back().empty()) found.pop_back();
        return found;
    }
    /// What `work` does in a process of its own, which then ends without this one's tests.
    template <typename Work>
    static pid_t inAnotherProcess(const Work& work) {
        const pid_t child = ::fork();
        if (child != 0) return child;
        work();
        ::_exit(0);
    }
    static int wait(pid_t child) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    TemporaryFolder scratch{"dailies-log"};
};

TEST_F(LogTest, ALineSaysWhenWhoHowBadAndWhat) {
    {
        const Writer writer(Level::Info, file());
        info("ssh", "connected to lab");
        warning("slurm", "no answer\nfrom slurmctld \x1b[31m");
    }
    const auto written = lines(file());
    ASSERT_EQ(written.size(), 2u);
    EXPECT_TRUE(std::regex_match(
        written[0],
        std::regex(
            R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d \d+/\d+ info ssh: connected to lab)")))
        << written[0];
    EXPECT_THAT(written[1], HasSubstr(" warning slurm: no answer ⏎ from slurmctld "));
    EXPECT_THAT(written[1], Not(HasSubstr("\x1b")));
    EXPECT_EQ(fs::status(file().path).permissions() & fs::perms(077), fs::perms::none);
}

TEST_F(LogTest, OnlyWhatIsAskedForIsWritten) {
    const Writer writer(Level::Warning, file());
    info("a", "one");
    error("a", "two");
    setLevel(Level::Debug);
    EXPECT_TRUE(enabled(Level::Debug));
    debug("a", "three");
    setLevel(Level::Error);
    EXPECT_FALSE(enabled(Level::Warning));
    warning("a", "four");
    flush();
    const auto text = lastLines(file(), 10);
    EXPECT_THAT(text, Not(HasSubstr("one")));
    EXPECT_THAT(text, HasSubstr("error a: two"));
    EXPECT_THAT(text, HasSubstr("debug a: three"));
    EXPECT_THAT(text, Not(HasSubstr("four")));
}

TEST_F(LogTest, LevelsHaveNames) {
    for (const auto level : {Level::Debug, Level::Info, Level::Warning, Level::Error})
        EXPECT_EQ(levelFromName(nameOf(level)), level);
    EXPECT_EQ(levelFromName("loud"), std::nullopt);
}

TEST_F(LogTest, WithoutAWriterNothingIsWritten) {
    error("a", "nobody hears this");
    flush();
    EXPECT_FALSE(enabled(Level::Error));
    EXPECT_FALSE(fs::exists(file().path));
    EXPECT_EQ(lastLines(file(), 10), "");
}

TEST_F(LogTest, ItTakesNoMoreOfTheDiskThanItMay) {
    const auto small = file(10'000, 3);
    {
        const Writer writer(Level::Info, small);
        for (int i = 0; i < 2000; ++i) info("test", "line " + std::to_string(i) + " of many");
    }
    std::uintmax_t bytes = 0;
    int files = 0;
    for (const auto& entry : fs::directory_iterator(small.path.parent_path())) {
        EXPECT_LE(entry.file_size(), small.bytes) << entry.path();
        bytes += entry.file_size();
        if (entry.path().extension() == ".log") ++files;
    }
    EXPECT_EQ(files, 3);
    EXPECT_LE(bytes, 30'000u);
    EXPECT_GT(bytes, 20'000u);
    EXPECT_THAT(lines(small).back(), EndsWith("line 1999 of many"));
}

TEST_F(LogTest, TheLastLinesAreThoseOfEarlierFilesToo) {
    const auto small = file(1'000, 3);
    {
        const Writer writer(Level::Info, small);
        for (int i = 100; i < 130; ++i) info("test", std::to_string(i));
    }
    ASSERT_TRUE(fs::exists(small.earlier(1)));
    const auto last = split(trim(lastLines(small, 20)), '\n');
    ASSERT_EQ(last.size(), 20u);
    EXPECT_THAT(last.front(), EndsWith(" 110"));
    EXPECT_THAT(last.back(), EndsWith(" 129"));
}

TEST_F(LogTest, ProgramsThatWriteAtOnceLoseNoLineAndTearNone) {
    constexpr int kPrograms = 3, kLines = 3000;
    const auto shared = file(200'000, 20);  // several of them are begun meanwhile, none is let go
    std::vector<pid_t> programs;
    for (int program = 0; program < kPrograms; ++program)
        programs.push_back(inAnotherProcess([&] {
            const Writer writer(Level::Info, shared);
            for (int i = 0; i < kLines; ++i) {
                info("test", "<" + std::to_string(program) + "," + std::to_string(i) + ">" +
                                 std::string(static_cast<std::size_t>(i % 90), 'x') + ";");
                if (i % 500 == 0) flush();  // more at once than wait in line would go
            }
        }));
    for (const auto program : programs) EXPECT_EQ(wait(program), 0);
    EXPECT_TRUE(fs::exists(shared.earlier(3)));
    std::set<std::string> seen;
    for (const auto& line : lines(shared)) {
        ASSERT_TRUE(line.starts_with("20") && line.ends_with(";")) << line;
        const auto at = line.find('<');
        EXPECT_TRUE(seen.insert(line.substr(at, line.find('>') - at)).second) << line;
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(kPrograms * kLines));
}

TEST_F(LogTest, AProgramThatIsStoppedInItsMiddleHoldsNobodyUp) {
    { const Writer writer(Level::Info, file()); }
    const pid_t stopped = inAnotherProcess([&] {
        const Writer writer(Level::Info, file());
        for (;;) info("test", "on and on");
    });
    while (lines(file()).size() < 100) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(stopped, SIGSTOP);
    int status = 0;
    ::waitpid(stopped, &status, WUNTRACED);  // its threads write on until each has heard of it
    ASSERT_TRUE(WIFSTOPPED(status));
    const auto begin = std::chrono::steady_clock::now();
    {
        const Writer writer(Level::Info, file());
        for (int i = 0; i < 50; ++i) info("mine", std::to_string(i));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
    ::kill(stopped, SIGKILL);
    EXPECT_EQ(wait(stopped), 128 + SIGKILL);
    EXPECT_THAT(lastLines(file(), 50), HasSubstr("info mine: 49"));
}

TEST_F(LogTest, WhereItCannotBeWrittenOneWarningIsAll) {
    const fs::path inTheWay = scratch.path() / "no-folder";
    writeFileAtomically(inTheWay, "a file");
    testing::internal::CaptureStderr();
    {
        const Writer writer(Level::Info, {inTheWay / "dailies.log", 1000, 2});
        for (int i = 0; i < 20; ++i) error("test", "unheard");
        flush();
    }
    const auto said = testing::internal::GetCapturedStderr();
    EXPECT_THAT(said,
                HasSubstr("dailies: the log " + (inTheWay / "dailies.log").string() + " cannot be written"));
    EXPECT_EQ(split(trim(said), '\n').size(), 1u) << said;
}

TEST_F(LogTest, AFullDiskCostsLinesAndNothingElse) {
    const auto errors = scratch.path() / "stderr";
    const pid_t program = inAnotherProcess([&] {
        // A limit of the process stands for the disk's end: writes fail half way, with a signal that kills.
        ASSERT_TRUE(std::freopen(errors.c_str(), "w", stderr));
        const rlimit limit{2000, 2000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const Writer writer(Level::Info, file());
        for (int i = 0; i < 100; ++i) info("test", "line " + std::to_string(i) + ".");
        flush();
        std::fflush(stderr);
    });
    EXPECT_EQ(wait(program), 0);
    for (const auto& line : lines(file())) EXPECT_TRUE(line.starts_with("20") && line.ends_with(".")) << line;
    EXPECT_EQ(split(trim(readFile(errors)), '\n').size(), 1u) << readFile(errors);
}

TEST_F(LogTest, ItGoesOnInANewFolderWhereItsOwnWasRemoved) {
    const Writer writer(Level::Info, file());
    info("test", "before");
    flush();
    fs::remove_all(file().path.parent_path());
    info("test", "behind");
    flush();
    EXPECT_THAT(lastLines(file(), 10), HasSubstr("test: behind"));
}

TEST_F(LogTest, ThreadsMaySpeakWhileItEnds) {
    std::jthread talker([](const std::stop_token& stop) {
        while (!stop.stop_requested()) info("test", "talk");
    });
    for (int i = 0; i < 20; ++i) {
        const Writer writer(Level::Info, file());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    talker.request_stop();
    talker.join();
    EXPECT_THAT(lines(file()), Not(IsEmpty()));
}

TEST_F(LogTest, WhatCameTooFastIsCountedAndHoldsNobodyUp) {
    constexpr std::size_t kLines = 20'000;
    {
        const Writer writer(Level::Info, file(64 << 20));
        for (std::size_t i = 0; i < kLines; ++i) info("test", "line");
    }
    const auto written = lines(file(64 << 20));
    const std::string told = " lines came too fast and are not here";
    std::size_t lost = 0;
    if (written.back().ends_with(told)) {
        const auto number = written.back().rfind(' ', written.back().size() - told.size() - 1);
        lost = std::stoul(written.back().substr(number + 1));
    }
    EXPECT_EQ(written.size() - (lost > 0 ? 1 : 0) + lost, kLines);
}

TEST_F(LogTest, ALineOfAnyLengthIsCut) {
    {
        const Writer writer(Level::Info, file());
        info("test", std::string(1 << 20, 'a'));
    }
    EXPECT_LT(fs::file_size(file().path), 5000u);
}

}  // namespace
}  // namespace dailies::log
