#include "remote/cluster/poll_rate_limiter.h"

#include <algorithm>

namespace dailies::remote {

namespace {
using namespace std::chrono_literals;
constexpr int kRest = 10;  ///< so many times as long as an answer took
constexpr PollRateLimiter::Clock::duration kLongestRest = 5min;
}  // namespace

void PollRateLimiter::recordCall(Clock::time_point begin, Clock::duration took) {
    m_calls.push_back(begin);
    while (m_calls.front() + 1min <= begin) m_calls.pop_front();
    // At once when it becomes slow, by and by when it becomes quick again.
    m_usual = std::max(took, (m_usual + took) / 2);
}

PollRateLimiter::Clock::time_point PollRateLimiter::next(Clock::time_point last,
                                                         Clock::duration interval) const {
    const auto due = last + std::max(interval, std::min(kRest * m_usual, kLongestRest));
    if (m_ceiling <= 0 || static_cast<int>(m_calls.size()) < m_ceiling) return due;
    // The call that makes room leaves the minute then.
    const auto room = m_calls[m_calls.size() - static_cast<std::size_t>(m_ceiling)] + 1min;
    return std::max(due, room);
}

int PollRateLimiter::callsInLastMinute(Clock::time_point now) const {
    return static_cast<int>(
        std::ranges::count_if(m_calls, [&](Clock::time_point call) { return call + 1min > now; }));
}

}  // namespace dailies::remote
