#include "remote/cluster/poll_rate_limiter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::remote {
namespace {

using namespace std::chrono_literals;
using Time = PollRateLimiter::Clock::time_point;

TEST(PollRateLimiter, AQuickSlurmIsAskedAsOftenAsWanted) {
    PollRateLimiter limiter;
    const Time start{1h};
    limiter.recordCall(start, 20ms);
    EXPECT_EQ(limiter.next(start, 12s), start + 12s);
}

TEST(PollRateLimiter, ASlowSlurmIsLeftAloneForLongerAndTrustedAgainByAndBy) {
    PollRateLimiter limiter;
    Time now{1h};
    limiter.recordCall(now, 4s);
    EXPECT_EQ(limiter.next(now, 12s), now + 40s);
    now += 40s;
    limiter.recordCall(now, 100ms);
    EXPECT_GT(limiter.next(now, 12s), now + 12s);
    for (int i = 0; i < 4; ++i) limiter.recordCall(now += 20s, 100ms);
    EXPECT_EQ(limiter.next(now, 12s), now + 12s);
    limiter.recordCall(now, 1h);
    EXPECT_EQ(limiter.next(now, 12s), now + 5min) << "but it is asked again";
}

TEST(PollRateLimiter, NeverMoreQuestionsInAMinuteThanTheCeiling) {
    PollRateLimiter limiter(6);
    const Time start{1h};
    Time now = start;
    int asked = 0;
    for (; now < start + 10min; ++asked) {
        limiter.recordCall(now, 1ms);
        EXPECT_LE(limiter.callsInLastMinute(now), 6);
        now = limiter.next(now, 1s);
    }
    EXPECT_GE(asked, 58);
    EXPECT_LE(asked, 66);
}

TEST(PollRateLimiter, WhoWaitsForOneJobLeavesRoomForFollowing) {
    PollRateLimiter limiter(30);
    const Time start{1h};
    Time waiting = start, following = start;
    int waited = 0, followed = 0;
    while (std::min(waiting, following) < start + 5min) {
        if (waiting <= following) {
            limiter.countCall(waiting);
            waiting = limiter.nextInBackground(waiting, 1s);
            ++waited;
        } else {
            limiter.recordCall(following, 1ms);
            following = limiter.next(following, 5s);
            ++followed;
        }
    }
    EXPECT_EQ(waited, 50) << "a third of the ceiling";
    EXPECT_EQ(followed, 60) << "as often as if nobody waited";
    EXPECT_EQ(PollRateLimiter().nextInBackground(start, 1s), start + 1s) << "no ceiling";
}

TEST(PollRateLimiter, ACallWhoseTimeTellsNothingOnlyCounts) {
    PollRateLimiter limiter;
    const Time start{1h};
    limiter.recordCall(start, 4s);
    for (int i = 0; i < 9; ++i) limiter.countCall(start);
    EXPECT_EQ(limiter.next(start, 1s), start + 40s) << "Slurm is as slow as it was";
    EXPECT_EQ(limiter.callsInLastMinute(start), 10);
}

}  // namespace
}  // namespace dailies::remote
