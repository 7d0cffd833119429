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
class FlightRecord {
public:
    struct Entry {
        std::int64_t number = 0;  ///< 1, 2, 3, …
        const char* what = "";    ///< "all-reduce", "broadcast"
        std::int64_t bytes = 0;
        double began = 0;     ///< seconds since the process began to record
        double seconds = -1;  ///< below 0: under way
    };

    static FlightRecord& ofProcess();

    std::int64_t begin(const char* what, std::int64_t bytes);
    void end(std::int64_t number);

    /// Oldest first; at most `kKept`.
    std::vector<Entry> newest() const;
    /// The first that has begun and not ended.
    std::optional<Entry> underWay() const;
    /// How many have begun.
    std::int64_t count() const;

    static constexpr std::size_t kKept = 64;

private:
    mutable std::mutex m_mutex;
    std::array<Entry, kKept> m_entries;
    std::int64_t m_count = 0;
};

/// A collective is under way for the life of this.
class RecordedCollective {
public:
    RecordedCollective(const char* what, std::int64_t bytes)
        : m_number(FlightRecord::ofProcess().begin(what, bytes)) {}
    ~RecordedCollective() { FlightRecord::ofProcess().end(m_number); }
    RecordedCollective(const RecordedCollective&) = delete;
    RecordedCollective& operator=(const RecordedCollective&) = delete;

private:
    std::int64_t m_number;
};

/// A line an entry, for a report.
std::string toText(const std::vector<FlightRecord::Entry>& entries);

}  // namespace dailies::trainer
