#include "trainer/parallel/lost_rank.h"

#include "core/base/files.h"
#include "tests/trainer/free_port.h"
#include "trainer/parallel/rendezvous.h"
#include "trainer/watchdog/watchdog.h"

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <thread>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// As ProcessGroupNCCL writes it.
constexpr const char* kNccl =
    "NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, remote process exited or there "
    "was "
    "a network error, NCCL version 2.27.5\n"
    "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting "
    "prematurely.\n"
    "Last error:\n"
    "socketProgress: Connection closed by remote peer node7<41234>: Connection reset by peer";

[[noreturn]] void fail(const std::string& text) {
    throw c10::DistBackendError({"there", "here", 1}, text);
}

TEST(LostRank, NamesWhatNcclAndGlooSay) {
    EXPECT_EQ(
        extractFault(kNccl),
        "ncclRemoteError: socketProgress: Connection closed by remote peer node7<41234>: Connection reset "
        "by peer.");
    EXPECT_EQ(extractFault(
                  "[/gloo/transport/tcp/pair.cc:547] Connection closed by peer [127.0.0.1]:8312\nframe #0"),
              "[/gloo/transport/tcp/pair.cc:547] Connection closed by peer [127.0.0.1]:8312.");
}

TEST(LostRank, WithoutADetailIsNamedByTheFirstLine) {
    EXPECT_EQ(
        extractFault("NCCL error in: NCCLUtils.cpp:94, unhandled system error\nncclSystemError: System call "
                     "failed.\nLast error:\n\nException raised from checkForNCCLErrors at here:1\nframe #0"),
        "ncclSystemError: NCCL error in: NCCLUtils.cpp:94, unhandled system error.");
}

TEST(LostRank, IsToldFromFaultsOfTheProgramsOwn) {
    const c10::SourceLocation here{"there", "here", 1};
    EXPECT_TRUE(isLostConnection(c10::DistBackendError(here, kNccl)));
    EXPECT_TRUE(isLostConnection(c10::DistNetworkError(here, "recvValue failed: Connection reset by peer")));
    EXPECT_TRUE(isLostConnection(c10::DistStoreError(here, "wait timeout after 60000ms")));
    EXPECT_TRUE(
        isLostConnection(std::runtime_error("[gloo/transport/tcp/pair.cc] Connection reset by peer")));
    EXPECT_FALSE(isLostConnection(c10::OutOfMemoryError(here, "CUDA out of memory")));
    EXPECT_FALSE(isLostConnection(c10::Error(here, "The size of tensor a (3) must match")));
    EXPECT_FALSE(isLostConnection(std::runtime_error("no such file")));
}

/// What the process prints and how it ends where NCCL's thread throws.
void endByAThread(const std::string& text) {
    const TemporaryFolder folder("dailies-lost");
    RunLog log(folder.path(), true);
    config::TrainConfig::Watchdog limits;
    limits.step_floor = 1;
    Watchdog watchdog(limits, folder.path(), DistEnv{}, log);
    watchdog.beginStep(7);
    const LostRankTerminateHandler losses([&](const LostRank& lost) { return watchdog.endFor(lost); });
    std::thread([&] { text.empty() ? throw std::runtime_error("a bug") : fail(text); }).join();
}

TEST(LostRankDeathTest, FoundByAThreadOfNcclEndsAsAHangThatIsTriedAgain) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(endByAThread(kNccl), testing::ExitedWithCode(kHungExit),
                "The connection to another rank broke: ncclRemoteError: .*Connection reset by peer");
    EXPECT_EXIT(endByAThread(""), testing::KilledBySignal(SIGABRT), "a bug");
}

TEST(Rendezvous, WaitsForALateRankBeyondTheTimeToMeet) {
    const auto port = freePort();
    const std::chrono::seconds toMeet(2), timeout(60);
    std::string read;
    std::thread other([&] {
        const auto store = meet({1, 2, 1, "127.0.0.1", port, toMeet, {}}, timeout);
        const auto value = store->get("id");  // as NCCL asks rank 0 for its own, in the first collective
        read.assign(value.begin(), value.end());
    });
    const auto store = meet({0, 2, 0, "127.0.0.1", port, toMeet, {}}, timeout);
    std::this_thread::sleep_for(std::chrono::seconds(4));  // opens the data
    store->set("id", std::vector<std::uint8_t>{'x'});
    other.join();
    EXPECT_EQ(read, "x");
}

}  // namespace
}  // namespace dailies::trainer
