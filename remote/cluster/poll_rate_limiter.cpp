#include "remote/cluster/poll_rate_limiter.h"

#include <algorithm>

namespace dailies::remote {

namespace {
using namespace std::chrono_literals;
constexpr int kRest = 10;  ///< so many times as long as an answer took
constexpr PollRateLimiter::Clock::duration kLongestRest = 5min;
}  // namespace

void PollRateLimiter::recordCall(Clock::time_point begin, Clock::duration took) {
    const std::lock_guard lock(m_mutex);
    add(begin);
    // At once when it becomes slow, by and by when it becomes quick again.
    m_usual = std::max(took, (m_usual + took) / 2);
}

void PollRateLimiter::countCall(Clock::time_point begin) {
    const std::lock_guard lock(m_mutex);
    add(begin);
}

/// In order: a question is recorded when it was answered, and another connection may have asked meanwhile.
void PollRateLimiter::add(Clock::time_point begin) {
    m_calls.insert(std::ranges::upper_bound(m_calls, begin), begin);
    while (m_calls.front() + 1min <= m_calls.back()) m_calls.pop_front();
}

PollRateLimiter::Clock::time_point PollRateLimiter::next(Clock::time_point last,
                                                         Clock::duration interval) const {
    const std::lock_guard lock(m_mutex);
    const auto due = last + std::max(interval, std::min(kRest * m_usual, kLongestRest));
    if (m_ceiling <= 0 || static_cast<int>(m_calls.size()) < m_ceiling) return due;
    // The call that makes room leaves the minute then.
    const auto room = m_calls[m_calls.size() - static_cast<std::size_t>(m_ceiling)] + 1min;
    return std::max(due, room);
}

PollRateLimiter::Clock::time_point PollRateLimiter::nextInBackground(Clock::time_point last,
                                                                     Clock::duration interval) const {
    if (m_ceiling > 0) interval = std::max<Clock::duration>(interval, Clock::duration(3min) / m_ceiling);
    return next(last, interval);
}

int PollRateLimiter::callsInLastMinute(Clock::time_point now) const {
    const std::lock_guard lock(m_mutex);
    return static_cast<int>(
        std::ranges::count_if(m_calls, [&](Clock::time_point call) { return call + 1min > now; }));
}

}  // namespace dailies::remote
