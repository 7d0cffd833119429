#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dailies::trainer {

/// The newest collectives of this process, for the day on which one of them never ends. All ranks make the
/// same calls in the same order, so the number of a call means the same on all of them. Any thread.
class FlightRecorder {
public:
    struct Entry {
        std::int64_t number = 0;  ///< 1, 2, 3, …
        const char* what = "";    ///< "all-reduce", "broadcast"
        std::int64_t bytes = 0;
        double began = 0;     ///< seconds since the process began to record
        double seconds = -1;  ///< below 0: under way
    };

    static FlightRecorder& ofProcess();

    std::int64_t begin(const char* what, std::int64_t bytes);
    void end(std::int64_t number);

    /// Oldest first; at most `kCapacity`.
    std::vector<Entry> newest() const;
    /// The first that has begun and not ended.
    std::optional<Entry> inProgress() const;
    /// How many have begun.
    std::int64_t count() const;

    static constexpr std::size_t kCapacity = 64;

private:
    mutable std::mutex m_mutex;
    std::array<Entry, kCapacity> m_entries;
    std::int64_t m_count = 0;
};

/// A collective is under way for the life of this.
class CollectiveScope {
public:
    CollectiveScope(const char* what, std::int64_t bytes)
        : m_number(FlightRecorder::ofProcess().begin(what, bytes)) {}
    ~CollectiveScope() { FlightRecorder::ofProcess().end(m_number); }
    CollectiveScope(const CollectiveScope&) = delete;
    CollectiveScope& operator=(const CollectiveScope&) = delete;

private:
    std::int64_t m_number;
};

/// A line an entry, for a report.
std::string toText(const std::vector<FlightRecorder::Entry>& entries);

}  // namespace dailies::trainer
