// What the log says of a store: what kept it waiting, and what was done to its tables.
#include "core/log/log.h"
#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <thread>

namespace dailies::tracking {
namespace {

using testing::HasSubstr;
using testing::Not;

class StoreLog : public StoreTest {
protected:
    log::LogFile logFile() const { return {.path = m_folder.path() / "dailies.log"}; }
    std::string logged() const {
        log::flush();
        return log::lastLines(logFile(), 100);
    }
    void createWhileLockedFor(std::chrono::milliseconds time) {
        Store store(file());
        SQLite::Database other(file(), SQLite::OPEN_READWRITE);
        other.exec("BEGIN IMMEDIATE");
        std::thread later([&] {
            std::this_thread::sleep_for(time);
            other.exec("COMMIT");
        });
        EXPECT_NO_THROW(store.createRun(aRun()));
        later.join();
    }
};

TEST_F(StoreLog, NamesTheTablesThatItMade) {
    const log::Writer writer(log::Level::Info, logFile());
    { const Store store(file()); }
    EXPECT_THAT(logged(),
                HasSubstr("info store: " + file().string() + ": tables brought from version 0 to "));
    const auto before = logged();
    { const Store store(file()); }
    EXPECT_EQ(logged(), before) << "there was nothing to do";
}

TEST_F(StoreLog, SaysThatAnotherProgramKeptItWaitingOnce) {
    const log::Writer writer(log::Level::Info, logFile());
    createWhileLockedFor(std::chrono::milliseconds(1500));
    const auto text = logged();
    const auto said = "info store: waiting for another program that writes " + file().string();
    ASSERT_THAT(text, HasSubstr(said));
    EXPECT_EQ(text.find(said), text.rfind(said));
}

TEST_F(StoreLog, SaysNothingOfAShortWait) {
    const log::Writer writer(log::Level::Info, logFile());
    createWhileLockedFor(std::chrono::milliseconds(100));
    EXPECT_THAT(logged(), Not(HasSubstr("waiting")));
}

}  // namespace
}  // namespace dailies::tracking
