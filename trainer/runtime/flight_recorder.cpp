#include "trainer/runtime/flight_recorder.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace dailies::trainer {

namespace {

double recordSeconds() {
    static const auto begin = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

FlightRecorder& FlightRecorder::ofProcess() {
    static FlightRecorder record;
    return record;
}

std::int64_t FlightRecorder::begin(const char* what, std::int64_t bytes) {
    const std::lock_guard lock(m_mutex);
    ++m_count;
    m_entries[static_cast<std::size_t>(m_count) % kCapacity] = {m_count, what, bytes, recordSeconds(), -1};
    return m_count;
}

void FlightRecorder::end(std::int64_t number) {
    const std::lock_guard lock(m_mutex);
    auto& entry = m_entries[static_cast<std::size_t>(number) % kCapacity];
    if (entry.number == number) entry.seconds = recordSeconds() - entry.began;
}

std::vector<FlightRecorder::Entry> FlightRecorder::newest() const {
    const std::lock_guard lock(m_mutex);
    std::vector<Entry> entries(m_entries.begin(), m_entries.end());
    std::erase_if(entries, [](const Entry& entry) { return entry.number == 0; });
    std::ranges::sort(entries, {}, &Entry::number);
    return entries;
}

std::optional<FlightRecorder::Entry> FlightRecorder::inProgress() const {
    for (const auto& entry : newest())
        if (entry.seconds < 0) return entry;
    return std::nullopt;
}

std::int64_t FlightRecorder::count() const {
    const std::lock_guard lock(m_mutex);
    return m_count;
}

std::string toText(const std::vector<FlightRecorder::Entry>& entries) {
    std::string text;
    for (const auto& entry : entries) {
        char line[160];
        const int length = std::snprintf(line, sizeof line, "#%lld %s of %lld bytes, at %.3f s, ",
                                         static_cast<long long>(entry.number), entry.what,
                                         static_cast<long long>(entry.bytes), entry.began);
        text.append(line, static_cast<std::size_t>(length));
        if (entry.seconds < 0)
            text += "has not ended\n";
        else {
            std::snprintf(line, sizeof line, "took %.1f ms\n", 1000 * entry.seconds);
            text += line;
        }
    }
    return text;
}

}  // namespace dailies::trainer
