#pragma once

#include <chrono>
#include <deque>
#include <mutex>

namespace dailies::remote {

/// How often Slurm may be asked: it answers everybody's questions with few threads, and a site that is slow
/// to answer is one that is asked too much already. Pure but for `measure`; time is given. The ceiling is the
/// user's, not a connection's: all connections to a cluster share one of these, from any thread.
class PollRateLimiter {
public:
    using Clock = std::chrono::steady_clock;

    /// `callsPerMinute`: the user's ceiling over everything; 0: none.
    explicit PollRateLimiter(int callsPerMinute = 0) : m_ceiling(callsPerMinute) {}

    /// A question was asked and answered.
    void recordCall(Clock::time_point begin, Clock::duration took);
    /// A question was asked whose time tells nothing: sbatch is slow where a squeue is not.
    void countCall(Clock::time_point begin);

    /// Asks it and takes the time, also when it throws.
    template <typename Question>
    auto measure(Question question) {
        struct Time {
            PollRateLimiter& limiter;
            Clock::time_point begin = Clock::now();
            ~Time() { limiter.recordCall(begin, Clock::now() - begin); }
        } const time{*this};
        return question();
    }

    /// When the next question of a kind that is asked every `interval` is due, the last one having been asked
    /// at `last`: later where Slurm was slow to answer (it is left alone for ten times as long), and where
    /// the ceiling is reached.
    Clock::time_point next(Clock::time_point last, Clock::duration interval) const;

    /// The same for who waits for the end of one job, which takes minutes: at most a third of the ceiling, so
    /// that following the runs and looking at the queue find room.
    Clock::time_point nextInBackground(Clock::time_point last, Clock::duration interval) const;

    /// How many questions were asked in the minute before `now`.
    int callsInLastMinute(Clock::time_point now) const;

private:
    void add(Clock::time_point begin);

    const int m_ceiling;
    mutable std::mutex m_mutex;
    std::deque<Clock::time_point> m_calls;  ///< of the last minutes, oldest first
    Clock::duration m_usual{};              ///< how long answers take, the last ones counting most
};

}  // namespace dailies::remote
