#include "core/log/log.h"

#include "core/log/redactor.h"
#include "core/log/rotating_sink.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>

namespace dailies::log {

namespace {

constexpr std::size_t kQueuedLines = 2048;  ///< their memory is taken at once, 0.8 MB
constexpr std::array kNames{"debug", "info", "warning", "error"};
constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                             spdlog::level::err};
/// Time with its offset, process and thread: "2026-11-25T09:14:03.120+01:00 2317/2319 info ssh: …".
constexpr const char* kPattern = "%Y-%m-%dT%H:%M:%S.%e%z %P/%t %l %v";

struct State {
    explicit State(LogFile file)
        : sink(std::make_shared<RotatingSink>(std::move(file), secretsOfEnvironment())),
          queue(std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1,
                                                               [] {
                                                                   // Ctrl-C and a file's limit are for others
                                                                   sigset_t all;
                                                                   ::sigfillset(&all);
                                                                   ::pthread_sigmask(SIG_BLOCK, &all,
                                                                                     nullptr);
                                                               })),
          logger(std::make_shared<spdlog::async_logger>("dailies", sink, queue,
                                                        spdlog::async_overflow_policy::overrun_oldest)) {
        logger->set_level(spdlog::level::trace);
        logger->set_pattern(kPattern);
        logger->set_error_handler([](const std::string&) {});  // the program goes on without this line
    }

    std::shared_ptr<RotatingSink> sink;
    std::shared_ptr<spdlog::details::thread_pool> queue;
    std::shared_ptr<spdlog::async_logger> logger;
    std::atomic<std::uint64_t> flushes{0};
};

std::mutex& mutex() {
    static std::mutex one;
    return one;
}

std::shared_ptr<State>& current() {
    static std::shared_ptr<State> state;
    return state;
}

std::shared_ptr<State> state() {
    const std::lock_guard lock(mutex());
    return current();
}

std::atomic<bool>& open() {
    static std::atomic<bool> value{false};
    return value;
}

std::atomic<Level>& threshold() {
    static std::atomic<Level> value{Level::Info};
    return value;
}

}  // namespace

std::optional<Level> levelFromName(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (name == kNames[i]) return static_cast<Level>(i);
    return std::nullopt;
}

std::string_view nameOf(Level level) {
    return kNames[static_cast<std::size_t>(level)];
}

Writer::Writer(Level level, LogFile file) {
    setLevel(level);
    auto made = std::make_shared<State>(std::move(file));
    const std::lock_guard lock(mutex());
    current() = std::move(made);
    open() = true;
}

Writer::~Writer() {
    open() = false;
    flush();  // or the line about lines that had to go would push out one more
    std::shared_ptr<State> ended;
    {
        const std::lock_guard lock(mutex());
        ended.swap(current());
    }
    if (const auto lost = ended->queue->overrun_counter(); lost > 0) {
        try {
            ended->logger->warn("log: " + std::to_string(lost) + " lines came too fast and are not here");
        } catch (...) {
            // They are lost all the same.
        }
    }
    // Its queue writes what it holds and ends with the last thread that still has a line in its hands.
}

Level level() {
    return threshold();
}

void setLevel(Level level) {
    threshold() = level;
}

bool enabled(Level level) {
    return open() && level >= threshold();
}

void write(Level level, std::string_view topic, std::string_view text) noexcept {
    if (!enabled(level)) return;
    try {
        if (const auto to = state()) {
            std::string line(topic);
            line.append(": ").append(text.substr(0, Redactor::kLongest));
            to->logger->log(kLevels[static_cast<std::size_t>(level)], spdlog::string_view_t(line));
        }
    } catch (...) {
        // A log that cannot be written must stop nothing.
    }
}

void flush() noexcept {
    try {
        if (const auto to = state()) {
            const auto count = ++to->flushes;
            to->logger->flush();
            if (const auto done = to->sink->waitForFlush(count, std::chrono::seconds(1)); done < count)
                to->flushes = done;  // it had to make way, too: the next is not to wait for it
        }
    } catch (...) {
        // As above.
    }
}

std::string secondsSince(std::chrono::steady_clock::time_point begin) {
    std::array<char, 32> text{};
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::snprintf(text.data(), text.size(), "%.3f s", seconds.count());
    return text.data();
}

}  // namespace dailies::log
