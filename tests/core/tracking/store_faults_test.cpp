// What goes wrong on a real machine: kills, full disks, permissions, other writers, damage.
#include "core/base/error.h"
#include "core/tracking/artifact_root.h"
#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::tracking {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

/// Runs `work` in a process of its own, which ends without unwinding, and returns its id.
pid_t forked(const std::function<bool()>& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    bool ok = false;
    try {
        ok = work();
    } catch (const std::exception& error) {
        std::cerr << "in the child: " << error.what() << std::endl;
    }
    ::_exit(ok ? 0 : 1);
}

bool succeeded(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A run without end: every 50th event takes the run back ten steps. Event `seq` lies at byte 100 × seq.
class EndlessRun {
public:
    events::Event next() {
        ++m_seq;
        if (m_seq % 50 == 0) {
            ++m_attempt;
            m_step -= 10;
            return {m_seq, m_attempt, 1e9 + static_cast<double>(m_seq), events::Resume{m_step}};
        }
        ++m_step;
        const auto value = static_cast<double>(m_seq);
        return {m_seq, m_attempt, 1e9 + value, events::Metrics{m_step, {{"loss", value}, {"lr", -value}}}};
    }

    std::vector<events::Event> next(int count) {
        std::vector<events::Event> batch;
        for (int i = 0; i < count; ++i) batch.push_back(next());
        return batch;
    }

    std::int64_t seq() const { return m_seq; }
    std::int64_t step() const { return m_step; }

private:
    std::int64_t m_seq = 0;
    std::int64_t m_step = 0;
    std::int64_t m_attempt = 1;
};

/// The run brought to where the store has read it.
EndlessRun asFarAs(std::int64_t seq) {
    EndlessRun run;
    while (run.seq() < seq) run.next();
    return run;
}

/// Whether the store holds exactly what the first lastSeq events say: nothing lost, nothing doubled.
void expectExactlyWhatWasIngested(const std::filesystem::path& file, const std::string& runId) {
    const Store store(file, Store::Mode::ReadOnly);
    const auto state = store.ingestState(runId);
    ASSERT_EQ(state.offset, state.lastSeq * 100);
    std::map<std::int64_t, double> expected;
    EndlessRun run;
    while (run.seq() < state.lastSeq) {
        const auto event = run.next();
        if (const auto* logged = std::get_if<events::Metrics>(&event.payload))
            expected[logged->step] = logged->values.at("loss");
    }
    while (!expected.empty() && expected.rbegin()->first > run.step())
        expected.erase(std::prev(expected.end()));
    const auto points = store.history(runId, "loss");
    ASSERT_EQ(points.size(), expected.size());
    for (const auto& point : points) ASSERT_EQ(expected.at(point.step), point.value);
    ASSERT_EQ(store.curves({{runId, "loss"}}, std::nullopt, 1)[0].points, std::ssize(points));
    ASSERT_THAT(store.history(runId, "lr"), SizeIs(expected.size()));
    if (!expected.empty()) {
        ASSERT_EQ(store.run(runId)->metrics.at("loss").step, expected.rbegin()->first);
    }
    SQLite::Database db(file);
    SQLite::Statement rows(
        db, "SELECT COUNT(*), SUM(value) FROM metrics WHERE run_uuid = ? AND \"key\" = 'loss'");
    rows.bind(1, runId);
    ASSERT_TRUE(rows.executeStep());
    ASSERT_EQ(rows.getColumn(0).getInt64(), std::ssize(points)) << "MLflow's table and the curves differ";
    double sum = 0;
    for (const auto& point : points) sum += point.value;
    ASSERT_EQ(rows.getColumn(1).getDouble(), sum);
    ASSERT_EQ(db.execAndGet("PRAGMA integrity_check").getString(), "ok");
}

using StoreFaults = StoreTest;

TEST_F(StoreFaults, KilledAgainAndAgainWhileIngestingItLosesAndDoublesNothing) {
    const auto run = aRun();
    Store(file()).createRun(run);
    std::mt19937 random(11);
    std::uniform_int_distribution<int> microseconds(0, 25'000);
    int kills = 0;
    for (; kills < 240; ++kills) {
        const pid_t child = forked([&] {
            Store store(file());
            EndlessRun source = asFarAs(store.ingestState(run.id).lastSeq);
            for (;;) {
                const auto batch = source.next(20);
                store.ingest(run.id, batch, source.seq() * 100);
            }
            return true;
        });
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended before it was killed";
        // mostly the next child finds what this one left, as nobody looked in between
        if (kills % 8 == 0) {
            ASSERT_NO_FATAL_FAILURE(expectExactlyWhatWasIngested(file(), run.id));
        }
    }
    ASSERT_NO_FATAL_FAILURE(expectExactlyWhatWasIngested(file(), run.id));
    EXPECT_GT(Store(file()).ingestState(run.id).lastSeq, 20 * kills / 8)
        << "the kills hit before anything was written";
}

TEST_F(StoreFaults, KilledWhilePurgingARunIsEitherWholeOrGone) {
    std::mt19937 random(3);
    std::uniform_int_distribution<int> microseconds(0, 60'000);
    int whole = 0, gone = 0;
    for (int kills = 0; kills < 40; ++kills) {
        const auto run = aRun();
        const auto clip = artifactRoot(file()) / run.id / "clip.mp4";
        EndlessRun source;
        const auto batch = source.next(200);
        {
            Store store(file());
            store.createRun(run);
            store.ingest(run.id, batch, source.seq() * 100);
            store.deleteRuns({run.id});
            writeFileAtomically(clip, "clip");
        }
        const pid_t child = forked([&] {
            Store(file()).purgeRuns({run.id});
            for (;;) ::pause();
            return true;
        });
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        Store store(file());
        if (store.run(run.id)) {
            ++whole;
            store.restoreRuns({run.id});
            EXPECT_TRUE(std::filesystem::exists(clip));
            expectExactlyWhatWasIngested(file(), run.id);
        } else {
            ++gone;
            EXPECT_FALSE(std::filesystem::exists(clip));
            EXPECT_THAT(store.history(run.id, "loss"), SizeIs(0));
        }
    }
    EXPECT_EQ(SQLite::Database(file()).execAndGet("PRAGMA integrity_check").getString(), "ok");
    EXPECT_EQ(whole + gone, 40);
    // what a kill between the rows and the files left aside goes with the next purge
    Store store(file());
    const auto last = aRun();
    store.createRun(last);
    store.deleteRuns({last.id});
    store.purgeRuns({last.id});
    for (const auto& entry : std::filesystem::directory_iterator(artifactRoot(file())))
        EXPECT_FALSE(entry.path().filename().string().starts_with(".purged-")) << entry.path();
}

TEST_F(StoreFaults, WritersQueueAndAllArrive) {
    const auto mine = aRun("mine"), theirs = aRun("theirs"), shared = aRun("shared");
    {
        Store store(file());
        for (const auto& run : {mine, theirs, shared}) store.createRun(run);
    }
    // two programs: each follows a run of its own, and both follow the shared one from the start
    const auto follow = [&](const std::string& own) {
        return forked([&, own] {
            Store store(file());
            EndlessRun ownRun, sharedRun;
            for (int i = 0; i < 100; ++i) {
                const auto batch = ownRun.next(7), sharedBatch = sharedRun.next(11);
                store.ingest(own, batch, ownRun.seq() * 100);
                store.ingest(shared.id, sharedBatch, sharedRun.seq() * 100);
                (void)store.runs();
            }
            return true;
        });
    };
    const pid_t first = follow(mine.id), second = follow(theirs.id);
    EXPECT_TRUE(succeeded(first));
    EXPECT_TRUE(succeeded(second));
    for (const auto& run : {mine, theirs, shared}) expectExactlyWhatWasIngested(file(), run.id);
    EXPECT_EQ(Store(file()).ingestState(shared.id).lastSeq, 1'100);
}

TEST_F(StoreFaults, ManyProgramsMayOpenANewStoreAtOnce) {
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i)
        children.push_back(forked([&] {
            Store store(file());
            store.createRun(aRun());
            return true;
        }));
    for (const pid_t child : children) EXPECT_TRUE(succeeded(child));
    Store store(file());
    EXPECT_THAT(store.runs(), SizeIs(6));
    EXPECT_THAT(store.experiments(), SizeIs(1));
}

TEST_F(StoreFaults, AWriterWaitsForTheOneBeforeIt) {
    Store store(file());
    SQLite::Database other(file(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        other.exec("COMMIT");
    });
    EXPECT_NO_THROW(store.createRun(aRun()));
    later.join();
}

TEST_F(StoreFaults, AFullDiskIsSaidAndCostsNothingOnceThereIsRoom) {
    const auto run = aRun();
    Store(file()).createRun(run);
    const pid_t child = forked([&] {
        // a file may not grow beyond the limit: to SQLite the same as a disk or a quota that is full
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        const rlimit full{400'000, limit.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &full);
        Store store(file());
        EndlessRun source;
        std::string problem;
        std::vector<events::Event> refused;
        while (problem.empty() && source.seq() < 100'000) {
            refused = source.next(50);
            problem = messageOf([&] { store.ingest(run.id, refused, source.seq() * 100); });
            if (problem == "nothing was thrown") problem.clear();
        }
        if (problem.find("could not be") == std::string::npos) return false;
        if (problem.find(file().string()) == std::string::npos) return false;
        if (store.runs().size() != 1) return false;  // what was there can still be read
        ::setrlimit(RLIMIT_FSIZE, &limit);
        store.ingest(run.id, refused, source.seq() * 100);
        return store.ingestState(run.id).lastSeq == source.seq();
    });
    EXPECT_TRUE(succeeded(child));
    expectExactlyWhatWasIngested(file(), run.id);
}

/// Runs `work` as somebody who owns nothing here (root may write anything, which would prove nothing).
bool asAnybody(const std::function<bool()>& work) {
    return succeeded(forked([&] {
        if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
        return work();
    }));
}

TEST_F(StoreFaults, AWriteProtectedStoreCanBeReadAndSaysWhyItCannotBeWritten) {
    Store(file()).createRun(aRun());
    ::chmod(file().c_str(), 0444);
    ::chmod(m_folder.path().c_str(), 0555);
    EXPECT_TRUE(asAnybody([&] {
        const auto problem = messageOf([&] { Store store(file()); });
        return problem.find("cannot be written") != std::string::npos &&
               problem.find("permissions") != std::string::npos;
    }));
    EXPECT_TRUE(asAnybody([&] { return Store(file(), Store::Mode::ReadOnly).runs().size() == 1; }));
    ::chmod(m_folder.path().c_str(), 0755);
}

TEST_F(StoreFaults, AFolderThatMayNotBeWrittenIsNamed) {
    ::chmod(m_folder.path().c_str(), 0555);
    EXPECT_TRUE(asAnybody([&] {
        const auto made = messageOf([&] { Store store(m_folder.path() / "deeper" / "dailies.db"); });
        const auto opened = messageOf([&] { Store store(file()); });
        return made.find("deeper") != std::string::npos && made.find("--store") != std::string::npos &&
               opened.find(file().string()) != std::string::npos;
    }));
    ::chmod(m_folder.path().c_str(), 0755);
}

TEST_F(StoreFaults, ReadingAStoreThatIsNotThereMakesNone) {
    EXPECT_THAT(messageOf([&] { Store store(file(), Store::Mode::ReadOnly); }),
                HasSubstr("There is no tracking store at"));
    EXPECT_FALSE(std::filesystem::exists(file()));
    EXPECT_THAT(messageOf([&] { Store store(m_folder.path()); }), HasSubstr("is a folder, not a file"));
}

TEST_F(StoreFaults, ADamagedStoreIsNamedAndTellsHowToRescueIt) {
    const auto run = aRun();
    {
        Store store(file());
        store.createRun(run);
        EndlessRun source;
        const auto batch = source.next(2'000);
        store.ingest(run.id, batch, source.seq() * 100);
    }
    const auto size = std::filesystem::file_size(file());
    {
        std::fstream bytes(file(), std::ios::in | std::ios::out | std::ios::binary);
        bytes.seekp(static_cast<std::streamoff>(size / 4));
        bytes << std::string(size / 2, '\xff');
    }
    EXPECT_THAT(messageOf([&] {
                    Store store(file());
                    (void)store.runs();
                    (void)store.history(run.id, "loss");
                    (void)store.history(run.id, "lr");
                }),
                AllOf(HasSubstr("is damaged"), HasSubstr(file().string()), HasSubstr(".recover")));
}

}  // namespace
}  // namespace dailies::tracking
