#include "core/tracking/writer.h"

#include "core/base/error.h"
#include "core/tracking/store_lock.h"
#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::tracking {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

using StoreWriter = StoreTest;

TEST_F(StoreWriter, DoesAllThatWasPostedInOrderBeforeItEnds) {
    const auto run = aRun();
    {
        Writer writer(file());
        (void)writer.post([run](Store& store) { store.createRun(run); });
        for (int i = 0; i < 100; ++i)
            (void)writer.post([run, i](Store& store) { store.setTag(run.id, "n", std::to_string(i)); });
    }
    EXPECT_EQ(Store(file()).run(run.id)->tags.at("n"), "99");
}

TEST_F(StoreWriter, GivesBackWhatTheWorkReturnsAndWhatItThrows) {
    Writer writer(file());
    EXPECT_EQ(writer.post([](Store& store) { return store.runs().size(); }).get(), 0u);
    auto refused = writer.post([](Store& store) { store.setTag("nobody", "a", "b"); });
    EXPECT_THROW(refused.get(), Error);
    EXPECT_EQ(writer.post([](Store&) { return 7; }).get(), 7) << "it goes on afterwards";
}

TEST_F(StoreWriter, AStoreThatCannotBeOpenedIsSaidToEveryWork) {
    writeFileAtomically(file(), std::string(5'000, 'x'));
    Writer writer(file());
    for (int i = 0; i < 2; ++i) {
        auto refused = writer.post([](Store& store) { return store.runs().size(); });
        try {
            refused.get();
            ADD_FAILURE() << "was opened";
        } catch (const Error& error) {
            EXPECT_THAT(error.full(), HasSubstr("not an SQLite database"));
        }
    }
    std::filesystem::remove(file());
    EXPECT_EQ(writer.post([](Store& store) { return store.runs().size(); }).get(), 0u) << "and tried again";
}

TEST_F(StoreWriter, WorkThatComesTooLateIsRefusedNotForgotten) {
    Writer writer(file());
    writer.stop();
    auto refused = writer.post([](Store& store) { return store.runs().size(); });
    EXPECT_THROW(refused.get(), Error);
}

TEST_F(StoreWriter, ManyThreadsMayPost) {
    Writer writer(file());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int j = 0; j < 25; ++j) (void)writer.post([](Store& store) { store.createRun(aRun()); });
        });
    for (auto& thread : threads) thread.join();
    EXPECT_THAT(writer.post([](Store& store) { return store.runs(); }).get(), SizeIs(100));
}

TEST_F(StoreWriter, WorkThatOneThreadPostsWhileAnotherStopsItIsDoneOrRefused) {
    Writer writer(file());
    writer.post([](Store& store) { return store.runs(); }).get();
    std::size_t done = 0, refused = 0;
    std::thread poster([&] {
        while (refused == 0) {
            auto answer = writer.post([](Store& store) { store.createRun(aRun()); });
            try {
                answer.get();
                ++done;
            } catch (const Error&) {
                ++refused;
            }
        }
    });
    writer.stop();
    poster.join();
    EXPECT_THAT(Store(file()).runs(), SizeIs(done));
}

TEST_F(StoreWriter, WhileIdleItBringsTheCurvesUpToDateWithWhatMlflowLogs) {
    const auto run = aRun();
    Writer writer(file());
    writer.post([run](Store& store) { store.createRun(run); }).get();
    SQLite::Database mlflow(file(), SQLite::OPEN_READWRITE, 20'000);
    mlflow.exec(
        "INSERT INTO metrics (\"key\", value, timestamp, run_uuid, step, is_nan) VALUES ('loss', 1, 1, '" +
        run.id + "', 1, 0)");
    const auto curves = [&] { return mlflow.execAndGet("SELECT COUNT(*) FROM dailies_curves").getInt(); };
    for (int waited = 0; curves() == 0 && waited < 200; ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(curves(), 1);
}

TEST_F(StoreWriter, ASecondDesktopIsToldWhoHoldsTheStoreAndMayTakeItOverWhenThatDies) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t holder = ::fork();
    if (holder == 0) {
        const StoreLock lock(file());
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    try {
        const StoreLock lock(file());
        ADD_FAILURE() << "two hold it";
    } catch (const StoreReadOnlyError& error) {
        EXPECT_THAT(error.full(), AllOf(HasSubstr(file().string()), HasSubstr(std::to_string(holder)),
                                        HasSubstr("only be read")));
    }
    Store(file()).createRun(aRun());  // the command line goes on writing
    ::kill(holder, SIGKILL);
    ::waitpid(holder, nullptr, 0);
    EXPECT_NO_THROW(const StoreLock lock(file()));
}

}  // namespace
}  // namespace dailies::tracking
