#include "core/tracking/store_interrupt.h"
#include "tests/core/exchange/exchange_fixture.h"

#include <csignal>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::exchange {
namespace {

using testing::HasSubstr;

constexpr int kRuns = 12, kSteps = 3'000;

class ImportFaults : public ExchangeTest {
protected:
    void SetUp() override {
        for (int run = 0; run < kRuns; ++run) {
            std::string text = "step,loss,speed\n";
            for (int step = 0; step < kSteps; ++step)
                text += std::to_string(step) + "," + std::to_string(step * 0.5 + run) + ",1\n";
            write("source/run" + std::to_string(run) + ".csv", text);
        }
    }

    /// Every run that is there is whole, and its latest values are those of its last step.
    void expectWholeRuns(const tracking::Store& store) const {
        for (const auto& run : store.runs()) {
            EXPECT_EQ(store.history(run.id, "loss").size(), static_cast<std::size_t>(kSteps)) << run.name;
            EXPECT_EQ(run.metrics.at("loss").step, kSteps - 1);
            EXPECT_EQ(run.metrics.at("speed").step, kSteps - 1);
        }
    }
};

TEST_F(ImportFaults, StoppingLeavesWholeRunsAndTheNextImportTheRest) {
    std::stop_source stop;
    int seen = 0;
    EXPECT_THROW(importFrom(
                     m_store, place("source"), {},
                     [&](const Progress& at) {
                         if (at.runs >= 3 && ++seen == 1) stop.request_stop();
                     },
                     stop.get_token()),
                 Cancelled);
    const auto before = m_store.runs().size();
    EXPECT_GE(before, 3u);
    EXPECT_LT(before, static_cast<std::size_t>(kRuns));
    expectWholeRuns(m_store);
    const auto summary = import(place("source"));
    EXPECT_EQ(summary.total().runsAdded, static_cast<std::int64_t>(kRuns - before));
    EXPECT_EQ(m_store.runs().size(), static_cast<std::size_t>(kRuns));
    expectWholeRuns(m_store);
}

TEST_F(ImportFaults, AnImportOfOneLargeRunStopsWithinASecondAndLeavesNothingOfIt) {
    std::string text = "step,a,b,c,remark\n";
    for (int step = 0; step < 400'000; ++step) text += std::to_string(step) + ",0.5,0.25,0.125,none\n";
    const auto file = write("large.csv", text);
    // while its lines are read, and while its points are written
    for (const auto after : {std::chrono::milliseconds(50), std::chrono::milliseconds(900)}) {
        std::stop_source stop;
        std::chrono::steady_clock::time_point asked;
        std::jthread clock([&] {
            std::this_thread::sleep_for(after);
            asked = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        bool stopped = false;
        try {
            tracking::Store store(m_store.file());
            tracking::interruptOnStop(store, stop.get_token());
            importFrom(store, file, {}, {}, stop.get_token());
        } catch (const Cancelled&) {
            stopped = true;
        }
        const auto ended = std::chrono::steady_clock::now();
        clock.join();
        if (!stopped) continue;  // this machine was faster
        EXPECT_LT(ended - asked, std::chrono::seconds(1));
        EXPECT_THAT(m_store.runs(), testing::IsEmpty());
    }
    EXPECT_EQ(import(file).total().pointsAdded, 1'200'000);
}

TEST_F(ImportFaults, TheWritingOfARunStopsInTheMiddleAndLeavesNothing) {
    tracking::Run run;
    run.id = std::string(32, 'e');
    run.experiment = "e";
    tracking::MetricHistories histories;
    for (int step = 0; step < 50'000; ++step) histories["loss"].push_back({step, 1, 0.5});
    std::stop_source stop;
    stop.request_stop();
    {
        tracking::Store store(m_store.file());
        tracking::interruptOnStop(store, stop.get_token());
        EXPECT_THROW(store.importRun(run, histories), Cancelled);
    }
    EXPECT_FALSE(m_store.run(run.id));
    EXPECT_EQ(m_store.importRun(run, histories).pointsAdded, 50'000);
}

TEST_F(ImportFaults, KilledAtAnyMomentItLeavesWholeRuns) {
    const auto file = place("killed.db");
    std::mt19937 chance(7);
    for (int round = 0; round < 25; ++round) {
        const auto child = ::fork();
        if (child == 0) {
            tracking::Store store(file);
            importFrom(store, place("source"));
            ::_exit(0);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(chance() % 60));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        const tracking::Store store(file);
        expectWholeRuns(store);
    }
    tracking::Store store(file);
    importFrom(store, place("source"));
    EXPECT_EQ(store.runs().size(), static_cast<std::size_t>(kRuns));
    expectWholeRuns(store);
}

TEST_F(ImportFaults, AFullDiskLeavesWholeRunsAndSaysSo) {
    const auto file = place("full.db");
    const auto child = ::fork();
    if (child == 0) {
        // a limit on the size of files is a disk that is full for this process alone
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1'500'000, 1'500'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        tracking::Store store(file);
        const auto said = complaint([&] { importFrom(store, place("source")); });
        ::_exit(said.find("Nothing was changed") != std::string::npos ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    tracking::Store store(file);
    expectWholeRuns(store);
    importFrom(store, place("source"));
    EXPECT_EQ(store.runs().size(), static_cast<std::size_t>(kRuns));
}

}  // namespace
}  // namespace dailies::exchange
