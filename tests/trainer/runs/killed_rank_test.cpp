#include "tests/trainer/runs/rank_processes.h"
#include "trainer/watchdog/heartbeat.h"
#include "trainer/watchdog/watchdog.h"

#include <gmock/gmock.h>

#include <csignal>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

// A rank that is killed while it trains, in every layout: the others name it and leave, and the run goes on.

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Killing {
    std::string name;
    int ranks = 2;
    int victim = 1;
    Json layout = Json::object();
};

/// For messages of a test that fails.
void PrintTo(const Killing& which, std::ostream* out) {
    *out << "rank " << which.victim << " of " << which.ranks << ", " << which.layout;
}

/// One message and the run's end name it.
void expectNamed(const TrainingRun& run, int victim) {
    const auto named = "Rank " + std::to_string(victim) + " on ";
    const auto health = run.all<events::Health>();
    ASSERT_EQ(health.size(), 1U) << "one message";
    EXPECT_THAT(health[0].text, AllOf(StartsWith("The run lost a rank. " + named),
                                      HasSubstr("no longer runs: its process was stopped or killed")));
    ASSERT_EQ(run.all<events::End>().size(), 1U);
    EXPECT_THAT(run.all<events::End>()[0].reason, StartsWith("It lost a rank. " + named));
}

class KilledRank : public testing::TestWithParam<Killing> {};

TEST_P(KilledRank, IsNamedByTheOthersAndItsRunGoesOnToTheSameLosses) {
    const auto& [name, size, victim, layout] = GetParam();
    Json changes = {{"steps", 80},
                    {"checkpoint.every", 10},
                    {"watchdog.first_step_limit", 60},
                    {"watchdog.step_floor", 3}};  // beats come ten times as often as in three seconds
    changes.update(layout);
    const TrainingRun undisturbed(changes), run(changes);
    ASSERT_EQ(trainOnRanks(undisturbed, size), 0) << readFile(undisturbed.path() / "output-0.txt");
    {
        const auto ranks = startRanks(run, size);
        ASSERT_TRUE(run.waitForStep(23, std::chrono::seconds(120))) << readFile(run.path() / "output-0.txt");
        ranks[static_cast<std::size_t>(victim)]->signal(SIGKILL);
        for (int rank = 0; rank < size; ++rank)
            EXPECT_EQ(ranks[static_cast<std::size_t>(rank)]->wait(),
                      rank == victim ? 128 + SIGKILL : kHungExit)
                << "rank " << rank;
    }
    expectNamed(run, victim);

    ASSERT_EQ(trainOnRanks(run, size), 0) << readFile(run.path() / "output-0.txt");
    EXPECT_EQ(run.all<events::Resume>().size(), 1U);
    EXPECT_EQ(run.metric("loss"), undisturbed.metric("loss"));
}

TEST(KilledRankOfStart, IsNamedWhileTheLayoutIsProven) {
    const TrainingRun run({{"layout.certificate", "always"},
                           {"layout.shard", "zero3"},
                           {"model.width", 512},  // the proof of it takes seconds
                           {"watchdog.step_floor", 3}});
    const auto ranks = startRanks(run, 2);
    const auto proves = [&](std::int64_t rank) {
        const auto beat = readHeartbeat(run.path(), rank, "without-slurm");
        return beat && beat->activity == "certificate";
    };
    for (int waited = 0; !(proves(0) && proves(1)) && waited < 6000; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ranks[1]->signal(SIGKILL);
    EXPECT_EQ(ranks[0]->wait(), kHungExit) << readFile(run.path() / "output-0.txt");
    EXPECT_TRUE(run.all<events::Certificate>().empty()) << "it was killed before";
    expectNamed(run, 1);
}

/// Shuts the connections of a process to others of this machine; how many, or -1 where the kernel does not
/// let us.
int breakConnections(pid_t pid) {
    const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (process < 0) return -1;
    int broken = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
        std::error_code gone;
        if (!std::filesystem::read_symlink(entry, gone).string().starts_with("socket:")) continue;
        const int number = std::stoi(entry.path().filename());
        const int copy = static_cast<int>(::syscall(SYS_pidfd_getfd, process, number, 0));
        if (copy < 0) {
            ::close(process);
            return -1;
        }
        sockaddr_storage peer{};
        socklen_t size = sizeof peer;
        if (::getpeername(copy, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
            ::shutdown(copy, SHUT_RDWR) == 0)
            ++broken;
        ::close(copy);
    }
    ::close(process);
    return broken;
}

TEST(BrokenConnection, IsNamedAndItsRunGoesOnInAnotherAttempt) {
    const Json changes = {{"steps", 80},
                          {"checkpoint.every", 10},
                          {"watchdog.first_step_limit", 60},
                          {"watchdog.step_floor", 3}};
    const TrainingRun undisturbed(changes), run(changes);
    ASSERT_EQ(trainOnRanks(undisturbed, 2), 0) << readFile(undisturbed.path() / "output-0.txt");
    {
        const auto ranks = startRanks(run, 2);
        ASSERT_TRUE(run.waitForStep(23, std::chrono::seconds(120))) << readFile(run.path() / "output-0.txt");
        const auto beat = readHeartbeat(run.path(), 1, "without-slurm");
        ASSERT_TRUE(beat);
        const int broken = breakConnections(static_cast<pid_t>(beat->pid));
        if (broken < 0) {
            for (const auto& rank : ranks) rank->signal(SIGKILL);
            for (const auto& rank : ranks) rank->wait();
            GTEST_SKIP() << "this machine does not let a process touch another's sockets";
        }
        ASSERT_GT(broken, 0);
        for (const auto& rank : ranks)
            EXPECT_EQ(rank->wait(), kHungExit) << readFile(run.path() / "output-1.txt");
    }
    const auto health = run.all<events::Health>();
    ASSERT_EQ(health.size(), 1U) << "one message";
    EXPECT_THAT(health[0].text,
                AllOf(StartsWith("The run lost a connection. "),
                      HasSubstr("The connection to another rank broke: "), HasSubstr("all ranks live")));

    ASSERT_EQ(trainOnRanks(run, 2), 0) << readFile(run.path() / "output-0.txt");
    EXPECT_EQ(run.all<events::Resume>().size(), 1U);
    EXPECT_EQ(run.metric("loss"), undisturbed.metric("loss"));
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, KilledRank,
    testing::Values(
        Killing{.name = "dp"}, Killing{.name = "leader_of_dp", .victim = 0},
        Killing{.name = "zero1", .layout = {{"layout.shard", "zero1"}}},
        Killing{.name = "zero2", .layout = {{"layout.shard", "zero2"}}},
        Killing{.name = "zero3", .layout = {{"layout.shard", "zero3"}}},
        Killing{.name = "ulysses", .layout = {{"layout.cp", 2}}},
        Killing{.name = "ring", .layout = {{"layout.cp", 2}, {"layout.ring", 2}}},
        Killing{.name = "tp", .layout = {{"layout.tp", 2}}},
        Killing{.name = "pp", .layout = {{"layout.pp", 2}, {"model.depth", 2}, {"optimizer.accumulate", 2}}},
        Killing{
            .name = "ulysses_tp_zero3",
            .ranks = 4,
            .victim = 2,
            .layout = {{"layout.cp", 2}, {"layout.tp", 2}, {"layout.shard", "zero3"}, {"model.heads", 4}}}),
    [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace dailies::trainer
