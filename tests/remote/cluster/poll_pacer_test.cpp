#include "remote/cluster/poll_pacer.h"

#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

using namespace std::chrono_literals;
using Time = PollPacer::Clock::time_point;

TEST(PollPacer, AQuickSlurmIsAskedAsOftenAsWanted) {
    PollPacer pacer;
    const Time start{1h};
    pacer.asked(start, 20ms);
    EXPECT_EQ(pacer.next(start, 12s), start + 12s);
}

TEST(PollPacer, ASlowSlurmIsLeftAloneForLongerAndTrustedAgainByAndBy) {
    PollPacer pacer;
    Time now{1h};
    pacer.asked(now, 4s);
    EXPECT_EQ(pacer.next(now, 12s), now + 40s);
    now += 40s;
    pacer.asked(now, 100ms);
    EXPECT_GT(pacer.next(now, 12s), now + 12s);
    for (int i = 0; i < 4; ++i) pacer.asked(now += 20s, 100ms);
    EXPECT_EQ(pacer.next(now, 12s), now + 12s);
    pacer.asked(now, 1h);
    EXPECT_EQ(pacer.next(now, 12s), now + 5min) << "but it is asked again";
}

TEST(PollPacer, NeverMoreQuestionsInAMinuteThanTheCeiling) {
    PollPacer pacer(6);
    const Time start{1h};
    Time now = start;
    int asked = 0;
    for (; now < start + 10min; ++asked) {
        pacer.asked(now, 1ms);
        EXPECT_LE(pacer.asksInMinute(now), 6);
        now = pacer.next(now, 1s);
    }
    EXPECT_GE(asked, 58);
    EXPECT_LE(asked, 66);
}

}  // namespace
}  // namespace dailies::remote
