#include "core/base/process.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

namespace dailies {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(ProcessTest, GivesBothStreamsAndTheExitCode) {
    const auto result = runProcess({"sh", "-c", "echo out; echo err >&2; exit 7"});
    EXPECT_EQ(result.exitCode, 7);
    EXPECT_EQ(result.out, "out\n");
    EXPECT_EQ(result.err, "err\n");
    EXPECT_EQ(runProcess({"sh", "-c", "kill -9 $$"}).exitCode, 128 + 9);
}

TEST(ProcessTest, PassesArgumentsInputAndEnvironmentUnchanged) {
    const std::string odd = "it's $(odd) \"text\"\n* ;";
    EXPECT_EQ(runProcess({"printf", "%s", odd}).out, odd);
    const std::string big(3'000'000, 'x');  // more than any pipe holds, both ways at once
    EXPECT_EQ(runProcess({"cat"}, {.input = big}).out, big);
    EXPECT_EQ(runProcess({"sh", "-c", "printf %s \"$ODD\""}, {.environment = {{"ODD", odd}}}).out, odd);
    const TemporaryFolder folder;
    EXPECT_EQ(runProcess({"pwd", "-P"}, {.folder = folder.path()}).out,
              std::filesystem::canonical(folder.path()).string() + "\n");
}

TEST(ProcessTest, SurvivesAProgramThatDoesNotReadItsInput) {
    EXPECT_TRUE(runProcess({"true"}, {.input = std::string(3'000'000, 'x')}).ok());
}

TEST(ProcessTest, NamesAProgramThatIsNotInstalled) {
    EXPECT_FALSE(findProgram("no-such-program-anywhere"));
    try {
        runProcess({"no-such-program-anywhere"});
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("no-such-program-anywhere"), std::string::npos);
    }
}

TEST(ProcessTest, FindsSystemProgramsThatAnOrdinaryPathLeavesOut) {
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", "/nowhere:/proc/1/cwd:/usr/bin", 1);  // the second is closed to ordinary users
    EXPECT_EQ(findProgram("ls"), "/usr/bin/ls");
    EXPECT_TRUE(findProgram("ldconfig"));  // lies in an sbin folder
    EXPECT_FALSE(findProgram("no-such-program-anywhere"));
    ::setenv("PATH", before.c_str(), 1);
}

TEST(ProcessTest, EndsAProgramAndItsChildrenAtTheTimeoutAndWhenStopped) {
    const auto begin = Clock::now();
    EXPECT_THROW(runProcess({"sh", "-c", "sleep 30 & sleep 30"}, {.timeout = 200ms}), Error);
    EXPECT_THROW(runProcess({"sh", "-c", "exec >/dev/null 2>&1; sleep 30"}, {.timeout = 200ms}), Error)
        << "a program that writes elsewhere";
    std::stop_source stop;
    std::thread later([&] {
        std::this_thread::sleep_for(200ms);
        stop.request_stop();
    });
    EXPECT_THROW(runProcess({"sh", "-c", "sleep 30 & sleep 30"}, {}, stop.get_token()), Cancelled);
    later.join();
    EXPECT_LT(Clock::now() - begin, 5s);
}

}  // namespace
}  // namespace dailies
