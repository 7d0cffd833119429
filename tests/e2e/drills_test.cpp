// The drill suite: what breaks between a desktop and its cluster, broken for real, and one table of what it
// cost.
//   build/release/bin/drills_test
// Slow faults (a time limit, a node that dies) run beside the others, as they would.
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "remote/sandbox/layout.h"
#include "remote/ssh/session_error.h"
#include "tests/remote/cluster/sandbox_fixture.h"
#include "tests/remote/ssh/changed_sshd.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

namespace dailies::remote {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ssh::Failure;
using ssh::SessionError;
using tracking::RunStatus;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

constexpr double kForeseen = -1;  ///< in place of how long a fault went unnoticed

std::string noticed(double seconds) {
    if (seconds == kForeseen) return "before";
    if (seconds < 0.05) return "at once";
    char text[32];
    std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

/// Trains so many steps, a checkpoint at every fifth; goes on from it when it is started again, and stops
/// when it is asked to. Its curve depends on the steps alone, as a real trainer's does.
std::string steady(int steps) {
    // builtins alone: a signal that ends what a line is made with would tear the line
    return "n=$(wc -l <\"$events\")\n"
           "emit() { n=$((n + 1)); printf '{\"seq\":%d,\"attempt\":%d,\"time\":%s,%s}\\n' $n "
           "$((restarts + 1)) \"$EPOCHREALTIME\" \"$1\" >>\"$events\"; }\n"
           "step=0; [ -s \"$run/ckpt\" ] && read -r step <\"$run/ckpt\"\n"
           "[ $restarts = 0 ] || emit \"\\\"type\\\":\\\"resume\\\",\\\"from_step\\\":$step\"\n"
           "asked=; trap 'asked=1' USR1\n"
           "while [ $step -lt " +
           std::to_string(steps) +
           " ]; do\n"
           "    step=$((step + 1)); metric $step 0.$((10000 - step))\n"
           "    [ -z \"$asked\" ] && [ $((step % 5)) != 0 ] || echo $step >\"$run/ckpt\"\n"
           "    [ -z \"$asked\" ] || { emit "
           "\"\\\"type\\\":\\\"end\\\",\\\"status\\\":\\\"stopped\\\",\\\"step\\\":$step,"
           "\\\"reason\\\":\\\"asked\\\"\"; exit 0; }\n"
           "    sleep 0.2 & wait $!\n"
           "done\nfinish";
}

class Drills : public SandboxTest {
protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<TemporaryFolder>("drills");
        sandbox::Options options;
        options.folder = s_folder->path() / "s";
        options.cpusPerNode = 8;
        s_profile = *sandbox::up(options).profile;
    }

    /// A run of a trainer of its own, not yet sent.
    LaunchPlan planned(const Cluster& cluster, const std::string& name, const std::string& body) {
        trainer(body);
        const auto own = m_files.path() / name;
        fs::rename(m_files.path() / "trainer", own);
        LaunchPlan made = plan(cluster);
        const auto usual = shellQuote((m_files.path() / "trainer").string());
        made.script.replace(made.script.find(usual), usual.size(), shellQuote(own.string()));
        return made;
    }

    static pid_t daemon(const std::string& name) {
        const auto state = *sandbox::readState({s_folder->path() / "s"});
        for (const auto& [known, process] : state.daemons)
            if (known == name) return process.pid;
        return 0;
    }
    /// To every process that serves an SSH connection.
    static void signalSessions(int signal, pid_t below = daemon("sshd")) {
        std::ifstream children("/proc/" + std::to_string(below) + "/task/" + std::to_string(below) +
                               "/children");
        for (pid_t child = 0; children >> child;) {
            std::ifstream name("/proc/" + std::to_string(child) + "/comm");
            std::string program;
            if (!(name >> program) || program != "sshd") continue;
            signalSessions(signal, child);
            ::kill(child, signal);
        }
    }
    std::unique_ptr<ssh::Session> newSession() {
        return std::make_unique<ssh::Session>(endpointOf(s_profile), m_prompter);
    }
    /// Ends slurmctld as its administrator would (one that is killed forgets the jobs of its last seconds),
    /// and starts it again after that long.
    static void restartController(std::chrono::milliseconds after) {
        const pid_t running = s_controller ? s_controller : daemon("slurmctld");
        ::kill(running, SIGTERM);
        std::this_thread::sleep_for(after);
        for (int tries = 0; ::kill(running, 0) == 0 && tries < 300; ++tries)
            std::this_thread::sleep_for(100ms);
        const auto state = *sandbox::readState({s_folder->path() / "s"});
        const sandbox::Layout layout{s_folder->path() / "s"};
        s_controller = sandbox::startDaemon({findProgram("slurmctld").value_or("slurmctld").string(), "-D"},
                                            {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
                                             {"USER", state.user},
                                             {"SLURM_CONF", layout.slurmConf().string()},
                                             {sandbox::kMarkVariable, state.mark}},
                                            layout.log("slurmctld-again"))
                           .pid;
    }

    /// How long it took until `action` failed with a `SessionError` of this kind after `broken` was set.
    double failsWithin(const std::function<void()>& action, const Clock::time_point& broken,
                       Failure kind = Failure::Lost) {
        try {
            action();
            ADD_FAILURE() << "nothing was noticed";
        } catch (const SessionError& error) {
            EXPECT_EQ(error.failure(), kind) << error.full();
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - broken).count();
        EXPECT_LT(seconds, 10);
        return seconds;
    }
    void row(const std::string& fault, double detected, const std::string& lost) {
        s_table.push_back({fault, detected, lost});
    }
    std::size_t jobsOf(Cluster& cluster, const std::string& sweepId) const {
        return std::stoul(cluster.session()
                              .run("squeue -h -t all -o '%F %k' | grep " + sweepId + " | sort -u | wc -l\n")
                              .out);
    }
    /// Whether the run's curve is the one that an undisturbed run would have drawn: nothing twice, nothing
    /// missing.
    void expectWholeCurve(const LaunchPlan& sent, int steps) const {
        const auto history = m_store.history(sent.runIds[0], "loss");
        ASSERT_EQ(history.size(), static_cast<std::size_t>(steps))
            << "its events end with:\n"
            << runProcess({"sh", "-c",
                           "cd \"$1\" && tail -n 3 events.jsonl && cat attempts.tsv && tail -n 5 logs/*",
                           "sh", s_profile.workspace + "/runs/" + sent.runIds[0]})
                   .out;
        for (int i = 0; i < steps; ++i) {
            EXPECT_EQ(history[static_cast<std::size_t>(i)].step, i + 1);
            EXPECT_EQ(history[static_cast<std::size_t>(i)].value, std::stod("0." + std::to_string(9999 - i)));
        }
    }
    double secondsUntil(Follower& follower, const std::function<bool()>& done, int patience = 60) {
        const auto begin = Clock::now();
        follow(
            follower, [&](auto&) { return done(); }, patience);
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    void breakSsh();
    void breakTransfers();
    void fillTheDisk();
    void restartWhileSubmitting(Cluster& cluster);
    void dieAfterSbatch(Cluster& cluster);
    void cancelFromOutside(Cluster& cluster, Follower& follower);
    void useUpMemory(Cluster& cluster, Follower& follower);
    void jumpClocks(Cluster& cluster, Follower& follower);
    void followTwice(Cluster& cluster);

    struct Row {
        std::string fault;
        double detected;
        std::string lost;
    };
    static inline std::vector<Row> s_table;
    static inline pid_t s_controller = 0;
};

void Drills::breakSsh() {
    {
        std::atomic<bool> enough = false;
        const auto broken = Clock::now();
        std::thread killer([&] {
            while (!enough) signalSessions(SIGKILL);
        });
        try {
            for (int tries = 0; tries < 50; ++tries) newSession();
            ADD_FAILURE() << "nobody can sign in to a server that is killed";
        } catch (const SessionError&) {
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - broken).count();
        enough = true;
        killer.join();
        EXPECT_LT(seconds, 10);
        EXPECT_TRUE(newSession()->run("true").ok());
        row("sshd killed while signing in", seconds, "nothing");
    }
    for (const int signal : {SIGKILL, SIGSTOP}) {
        const auto session = newSession();
        Clock::time_point broken;
        std::thread breaker([&] {
            std::this_thread::sleep_for(300ms);
            broken = Clock::now();
            signalSessions(signal);
        });
        const double seconds = failsWithin([&] { session->run("sleep 60"); }, broken);
        breaker.join();
        signalSessions(SIGKILL);
        row(signal == SIGKILL ? "sshd killed during a command" : "connection frozen during a command",
            seconds, "nothing");
    }
    const auto idle = newSession();
    const auto broken = Clock::now();
    signalSessions(SIGKILL);
    row("sshd killed while idle", failsWithin([&] { idle->keepAlive(); }, broken), "nothing");
}

void Drills::breakTransfers() {
    constexpr std::size_t kSize = 30'000'000;
    std::string bytes(kSize, '\0');
    for (std::size_t i = 0; i < kSize; ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
    const auto here = m_files.path() / "here", there = s_folder->path() / "there";
    writeFileAtomically(here, bytes);
    writeFileAtomically(there, bytes);
    const auto hash = sha256OfFile(here);
    for (const bool down : {true, false})
        for (const int signal : {SIGKILL, SIGSTOP}) {
            const auto target = (down ? m_files.path() : s_folder->path()) / "copy";
            fs::remove(target);
            Clock::time_point broken;
            std::uint64_t first = 0;
            const auto carry = [&](bool breakIt) {
                bool begun = false;
                const auto progress = [&](std::uint64_t done, std::uint64_t) {
                    if (!std::exchange(begun, true)) first = done;
                    if (!breakIt || done < kSize / 2 || broken != Clock::time_point()) return;
                    broken = Clock::now();
                    signalSessions(signal);
                };
                const auto session = newSession();
                if (down)
                    session->download(there.string(), target, {}, progress);
                else
                    session->upload(here, target.string(), 0644, {}, progress);
            };
            const double seconds = failsWithin([&] { carry(true); }, broken);
            EXPECT_FALSE(fs::exists(target)) << "a part of a file is none";
            signalSessions(SIGKILL);
            carry(false);
            EXPECT_EQ(sha256OfFile(target), hash);
            EXPECT_GT(first, 0u) << "what had come is not asked for again";
            row(std::string(signal == SIGKILL ? "sshd killed" : "connection black-holed") +
                    (down ? " in a download" : " in an upload"),
                seconds, "nothing; goes on at " + std::to_string(first * 100 / kSize) + " %");
        }
}

/// A quota, as a limit on the size of files: tmpfs needs rights that not everybody has.
void Drills::fillTheDisk() {
    const auto sandboxFolder = s_folder->path() / "s";
    const auto here = m_files.path() / "here", there = s_folder->path() / "quota";
    const ssh::ChangedSshd quota(sandboxFolder,
                                 ssh::ChangedSshd::configOf(sandboxFolder) +
                                     "ForceCommand case \"$SSH_ORIGINAL_COMMAND\" in internal-sftp) exec "
                                     "/usr/lib/openssh/sftp-server;; esac; ulimit -f 2000; eval "
                                     "\"$SSH_ORIGINAL_COMMAND\"\n");
    const auto session = newSession();
    const auto broken = Clock::now();
    const double seconds =
        failsWithin([&] { session->upload(here, (there / "big").string()); }, broken, Failure::Remote);
    EXPECT_TRUE(!fs::exists(there) || fs::is_empty(there)) << "what does not fit leaves nothing behind";
    EXPECT_TRUE(session->run("true").ok()) << "the connection stands";
    row("quota used up during an upload", seconds, "nothing; said with the remedy");
}

void Drills::restartWhileSubmitting(Cluster& cluster) {
    const LaunchPlan sent = planned(cluster, "restart", "metric 1 0.5\nfinish");
    std::thread restart;
    const auto begin = Clock::now();
    try {
        launch(cluster, sent, m_store, [&](const std::string& line) {
            if (line == "Submitting the job array") restart = std::thread([] { restartController(3s); });
        });
    } catch (const Error&) {
        // said to the person; the sweep is recorded, and settled with the next connection
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    restart.join();
    std::unique_ptr<Cluster> again;
    for (int tries = 0; tries < 60 && !again; ++tries) try {
            again = std::make_unique<Cluster>(s_profile, m_prompter);
        } catch (const Error&) {
            std::this_thread::sleep_for(500ms);
        }
    ASSERT_TRUE(again) << "slurmctld did not come back";
    resumeLaunches(*again, m_store);
    EXPECT_EQ(jobsOf(*again, sent.sweepId), 1u);
    row("slurmctld restarted during submit", seconds, "nothing; exactly one job");
}

void Drills::dieAfterSbatch(Cluster& cluster) {
    const LaunchPlan sent = planned(cluster, "orphan", "metric 1 0.5\nfinish");
    ASSERT_NO_FATAL_FAILURE(
        dieBeforeSbatch([&](Cluster& own, tracking::Store& store, const Progress& progress) {
            launch(own, sent, store, [&](const std::string& line) {
                if (line == "Submitting the job array") own.scheduler().submit(sent.script, sent.sweepId);
                progress(line);
            });
        }));
    const auto begin = Clock::now();
    EXPECT_EQ(resumeLaunches(cluster, m_store), std::vector{sent.sweepId});
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 1u);
    row("desktop killed between sbatch and its record",
        std::chrono::duration<double>(Clock::now() - begin).count(), "nothing; no orphan, no double");
}

void Drills::cancelFromOutside(Cluster& cluster, Follower& follower) {
    const LaunchPlan sent = planned(cluster, "cancelled", steady(1000));
    launch(cluster, sent, m_store);
    secondsUntil(follower, [&] { return m_store.history(sent.runIds[0], "loss").size() >= 3; });
    const auto before = m_store.history(sent.runIds[0], "loss").size();
    ASSERT_TRUE(cluster.session().run("scancel " + shellQuote(runOf(sent).tags[tag::kJob])).ok());
    const double seconds = secondsUntil(follower, [&] { return !isActive(runOf(sent).status); });
    EXPECT_EQ(runOf(sent).status, RunStatus::Killed) << runOf(sent).tags[tag::kReason];
    EXPECT_GE(m_store.history(sent.runIds[0], "loss").size(), before);
    row("scancel from outside", seconds, "nothing that was logged");
}

void Drills::useUpMemory(Cluster& cluster, Follower& follower) {
    const LaunchPlan sent =
        planned(cluster, "memory",
                "metric 1 0.5\nexec python3 -c 'import time\nkept = bytearray(400 << 20)\ntime.sleep(60)'");
    launch(cluster, sent, m_store);
    secondsUntil(follower, [&] { return m_store.history(sent.runIds[0], "loss").size() == 1; });
    const double seconds = secondsUntil(follower, [&] { return !isActive(runOf(sent).status); });
    EXPECT_NE(runOf(sent).status, RunStatus::Finished);
    EXPECT_NE(runOf(sent).tags[tag::kReason].find("emory"), std::string::npos)
        << runOf(sent).tags[tag::kReason];
    // a rank that was killed is worth another try, but not for ever
    row("out of memory, in three attempts", seconds, "nothing that was logged; the cause is named");
}

void Drills::jumpClocks(Cluster& cluster, Follower& follower) {
    const LaunchPlan sent = planned(
        cluster, "clock",
        "date() { /bin/date -d '+1 day' \"$@\"; }\nmetric 1 0.5\ndate() { /bin/date -d '-2 days' \"$@\"; }\n"
        "metric 2 0.4\nunset -f date\nmetric 3 0.3\nfinish");
    launch(cluster, sent, m_store);
    const double seconds = secondsUntil(follower, [&] { return !isActive(runOf(sent).status); });
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    EXPECT_EQ(m_store.history(sent.runIds[0], "loss").size(), 3u);
    EXPECT_GE(runOf(sent).endMs.value_or(0), runOf(sent).startMs);
    row("clock jumps a day ahead, then two back", seconds, "nothing; the run ends after it began");
}

void Drills::followTwice(Cluster& cluster) {
    const LaunchPlan sent = planned(cluster, "twice", steady(25));
    launch(cluster, sent, m_store);
    tracking::Store theirs(m_store.file());
    Cluster link = connect();
    Follower ours(cluster, m_store, mirror()), other(link, theirs, mirror());
    const auto begin = Clock::now();
    follow(ours, [&](auto&) {
        other.pollOnce();
        return !isActive(runOf(sent).status);
    });
    expectWholeCurve(sent, 25);
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 1u);
    row("two desktops on one store and workspace",
        std::chrono::duration<double>(Clock::now() - begin).count(), "nothing; every point once");
}

TEST_F(Drills, NothingIsLostAndNothingIsDoubled) {
    constexpr int kTimeLimitSteps = 260, kNodeSteps = 150, kBlindSteps = 100;
    auto cluster = std::make_unique<Cluster>(s_profile, m_prompter);
    auto follower = std::make_unique<Follower>(*cluster, m_store, mirror());
    const auto begin = Clock::now();

    // the slow ones first; they go on while the rest breaks
    LaunchPlan limited = planned(*cluster, "limited", steady(kTimeLimitSteps));
    limited.script.replace(limited.script.find("--time=0:10:00"), 14, "--time=0:01:00");
    limited.script.replace(limited.script.find("B:USR1@60"), 9, "B:USR1@12");
    launch(*cluster, limited, m_store);
    const LaunchPlan doomed = planned(*cluster, "doomed", steady(kNodeSteps));
    launch(*cluster, doomed, m_store);
    secondsUntil(*follower, [&] { return m_store.history(doomed.runIds[0], "loss").size() >= 7; });
    const std::string node = cluster->scheduler().poll({runOf(doomed).tags[tag::kJob]}).at(0).node;
    ASSERT_TRUE(cluster->session()
                    .run("scontrol update NodeName=" + shellQuote(node) + " State=DOWN Reason=drill\n")
                    .ok());
    row("node dies mid-run",
        secondsUntil(*follower, [&] { return runOf(doomed).status == RunStatus::Scheduled; }),
        "steps since the checkpoint; the curve is whole");
    cluster->session().run("scontrol update NodeName=" + shellQuote(node) + " State=RESUME\n");

    dieAfterSbatch(*cluster);
    cancelFromOutside(*cluster, *follower);
    useUpMemory(*cluster, *follower);
    jumpClocks(*cluster, *follower);
    followTwice(*cluster);

    follower.reset();
    cluster.reset();
    breakSsh();
    breakTransfers();
    fillTheDisk();

    cluster = std::make_unique<Cluster>(s_profile, m_prompter);
    follower = std::make_unique<Follower>(*cluster, m_store, mirror());
    secondsUntil(
        *follower, [&] { return !isActive(runOf(doomed).status) && !isActive(runOf(limited).status); }, 150);
    EXPECT_EQ(runOf(doomed).status, RunStatus::Finished) << runOf(doomed).tags[tag::kReason];
    EXPECT_EQ(m_store.attempts(doomed.runIds[0]).size(), 2u);
    expectWholeCurve(doomed, kNodeSteps);
    EXPECT_EQ(runOf(limited).status, RunStatus::Finished) << runOf(limited).tags[tag::kReason];
    EXPECT_GE(m_store.attempts(limited.runIds[0]).size(), 2u);
    expectWholeCurve(limited, kTimeLimitSteps);
    row("time limit", kForeseen, "nothing; a checkpoint before it, requeued");

    // last: no signal before a time limit comes from a controller that is down
    {
        const LaunchPlan blind = planned(*cluster, "blind", steady(kBlindSteps));
        launch(*cluster, blind, m_store);
        const auto points = [&] { return m_store.history(blind.runIds[0], "loss").size(); };
        secondsUntil(*follower, [&] { return points() >= 2; });
        std::thread restart([] { restartController(15s); });
        const auto before = points();
        const auto down = Clock::now();
        double heard = 0;
        while (heard == 0 && Clock::now() - down < 40s) try {
                follower->pollOnce();
                std::this_thread::sleep_for(100ms);
            } catch (const Error&) {
                heard = std::chrono::duration<double>(Clock::now() - down).count();
            }
        EXPECT_GT(heard, 0) << "slurmctld was gone and nobody said so";
        EXPECT_GE(points(), before) << "curves go on without it";
        restart.join();
        const auto end = Clock::now() + 90s;
        while (isActive(runOf(blind).status) && Clock::now() < end) try {
                follower->pollOnce();
                std::this_thread::sleep_for(200ms);
            } catch (const Error&) {
                std::this_thread::sleep_for(200ms);  // it is not back yet
            }
        EXPECT_EQ(runOf(blind).status, RunStatus::Finished) << runOf(blind).tags[tag::kReason];
        expectWholeCurve(blind, kBlindSteps);
        row("slurmctld down for fifteen seconds", heard, "nothing; the curve is whole");
    }
    restartWhileSubmitting(*cluster);

    std::printf("\n%-48s %10s   %s\n", "fault", "noticed in", "lost");
    for (const auto& [fault, detected, lost] : s_table) {
        std::printf("%-48s %10s   %s\n", fault.c_str(), noticed(detected).c_str(), lost.c_str());
    }
    std::printf("%zu faults in %.0f s\n\n", s_table.size(),
                std::chrono::duration<double>(Clock::now() - begin).count());
}

}  // namespace
}  // namespace dailies::remote
