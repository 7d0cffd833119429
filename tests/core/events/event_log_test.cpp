#include "core/events/event_log.h"

#include "core/base/error.h"
#include "core/base/files.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::events {
namespace {

class EventLog : public testing::Test {
protected:
    std::filesystem::path file() const { return m_folder.path() / "events.jsonl"; }
    ParsedChunk all() const {
        m_bytes = readFile(file());
        return parseChunk(m_bytes);
    }

    TemporaryFolder m_folder{"events"};
    mutable std::string m_bytes;
};

TEST_F(EventLog, EventsAreNumberedThroughAllAttempts) {
    {
        EventLogWriter writer(file());
        EXPECT_EQ(writer.attempt(), 1);
        writer.append(Start{});
        writer.append(Metrics{1, {{"loss", 0.5}}});
    }
    {
        EventLogWriter writer(file());
        EXPECT_EQ(writer.attempt(), 2);
        writer.append(Start{});
    }
    const auto events = all().events;
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[1].seq, 2);
    EXPECT_EQ(events[1].attempt, 1);
    EXPECT_EQ(events[2].seq, 3);
    EXPECT_EQ(events[2].attempt, 2);
    EXPECT_GT(events[2].time, 1.6e9);
}

TEST_F(EventLog, ATornLastLineIsLeftForTheNextRead) {
    const std::string first = encode({1, 1, 0, Resume{1}}) + "\n",
                      second = encode({2, 1, 0, Resume{2}}) + "\n";
    const std::string bytes = first + second;
    for (std::size_t visible = 0; visible <= bytes.size(); ++visible) {
        const auto chunk = parseChunk(std::string_view(bytes).substr(0, visible));
        EXPECT_EQ(chunk.consumed, visible < first.size()   ? 0
                                  : visible < bytes.size() ? first.size()
                                                           : bytes.size());
        EXPECT_EQ(chunk.events.size(), visible < first.size() ? 0u : visible < bytes.size() ? 1u : 2u);
        EXPECT_TRUE(chunk.malformed.empty());
    }
}

TEST_F(EventLog, TheNextAttemptClosesATornLineAndLosesOnlyThat) {
    {
        EventLogWriter writer(file());
        writer.append(Metrics{1, {{"loss", 0.5}}});
    }
    writeFileAtomically(file(), readFile(file()) + R"({"seq":2,"attempt":1,"time":17)");
    {
        EventLogWriter writer(file());
        writer.append(Start{});
        writer.append(Resume{0});
    }
    const auto chunk = all();
    ASSERT_EQ(chunk.events.size(), 3u);
    EXPECT_EQ(chunk.events[1].seq, 2) << "the torn event never was";
    EXPECT_EQ(chunk.events[1].attempt, 2);
    ASSERT_EQ(chunk.malformed.size(), 1u);
    EXPECT_EQ(chunk.consumed, m_bytes.size());
}

TEST_F(EventLog, KilledAtAnyMomentNoWholeEventIsLostOrDoubled) {
    for (int round = 0; round < 40; ++round) {
        const pid_t child = ::fork();
        if (child == 0) {
            EventLogWriter writer(file());
            writer.append(Start{});
            for (std::int64_t step = 1;; ++step)
                writer.append(Message{"info", std::string(static_cast<std::size_t>(step % 3'000), 'x')});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2 + round % 9));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
    }
    const auto chunk = all();
    ASSERT_GT(chunk.events.size(), 40u);
    EXPECT_LE(chunk.malformed.size(), 40u);
    for (std::size_t i = 0; i < chunk.events.size(); ++i)
        ASSERT_EQ(chunk.events[i].seq, static_cast<std::int64_t>(i + 1));
}

TEST_F(EventLog, AFullDiskIsSaidAndTheWriterGoesOnOnceThereIsRoom) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        const rlimit full{1'000, limit.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &full);
        EventLogWriter writer(file());
        int refused = 0;
        for (int i = 0; i < 20; ++i) {
            try {
                writer.append(Message{"info", std::string(150, 'x')});
            } catch (const Error& error) {
                refused += error.full().find(file().string()) != std::string::npos;
            }
        }
        ::setrlimit(RLIMIT_FSIZE, &limit);
        writer.append(Message{"info", "room again"});
        ::_exit(refused > 0 ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    const auto events = all().events;
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(std::get<Message>(events.back().payload).text, "room again");
    for (std::size_t i = 0; i < events.size(); ++i)
        EXPECT_EQ(events[i].seq, static_cast<std::int64_t>(i + 1));
}

TEST_F(EventLog, AFileThatCannotBeOpenedIsNamed) {
    try {
        EventLogWriter writer(m_folder.path() / "absent" / "events.jsonl");
        FAIL() << "was opened";
    } catch (const Error& error) {
        EXPECT_NE(error.full().find("absent/events.jsonl: No such file"), std::string::npos) << error.full();
    }
}

TEST_F(EventLog, LinesThatAreNoEventsAreSetAsideAndTheRestIsRead) {
    std::string bytes = "\n";
    for (const auto& line :
         {encode({1, 1, 0, Resume{1}}), std::string(), std::string("rubbish"),
          std::string(R"({"seq":2,"attempt":1,"time":0,"type":"future"})"), encode({3, 1, 0, Resume{2}})})
        bytes += line + "\n";
    const auto chunk = parseChunk(bytes);
    EXPECT_EQ(chunk.events.size(), 2u);
    EXPECT_EQ(chunk.malformed, std::vector<std::string>{"rubbish"});
    EXPECT_EQ(chunk.consumed, bytes.size());
}

}  // namespace
}  // namespace dailies::events
