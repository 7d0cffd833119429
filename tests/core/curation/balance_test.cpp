#include "core/curation/balance.h"

#include "core/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

TEST(Balance, ComparesWithEqualSharesOfTheFilms) {
    // four films of a tenth of the length: an equal share has all the long ones
    const auto balance = balanceOf({{"d", "one", 10, 1},
                                    {"a", "one", 100, 1},
                                    {"b", "two", 100, 1},
                                    {"e", "two", 10, 1},
                                    {"c", "two", 10, 1},
                                    {"f", "one", 10, 1}});
    EXPECT_EQ(balance.films, 6u);
    EXPECT_EQ(balance.workers, 2u);
    EXPECT_DOUBLE_EQ(balance.busiestSeconds, 120);
    EXPECT_DOUBLE_EQ(balance.leastBusySeconds, 120);
    EXPECT_DOUBLE_EQ(balance.equalSharesSeconds, 210);
    EXPECT_THAT(balance.text(),
                testing::HasSubstr("6 films decoded by 2 tasks: the busiest took 2 min 00 s"));
    EXPECT_THAT(balance.text(), testing::HasSubstr("would have taken 3 min 30 s (1.75 times as long)"));
}

TEST(Balance, CountsWhatTheThreadsOfATaskDoAtOnce) {
    const auto balance = balanceOf({{"a", "one", 8, 4}, {"b", "one", 8, 4}, {"c", "two", 6, 2}});
    EXPECT_DOUBLE_EQ(balance.busiestSeconds, 4);
    EXPECT_DOUBLE_EQ(balance.leastBusySeconds, 3);
    EXPECT_DOUBLE_EQ(balance.equalSharesSeconds, 5) << "a | b, c";
}

TEST(Balance, SaysNothingOfOneTask) {
    EXPECT_EQ(balanceOf({}).text(), "");
    EXPECT_EQ(balanceOf({{"a", "one", 8, 4}}).text(), "");
}

TEST(Balance, IsKeptByFilm) {
    const TemporaryFolder shared;
    EXPECT_TRUE(loadCosts(shared.path() / "none").empty());
    saveCost(shared.path(), "1", {"a.mp4", "one", 1.5, 2});
    saveCost(shared.path(), "2", {"b.mp4", "two", 3, 2});
    saveCost(shared.path(), "2", {"b.mp4", "one", 3, 2});  // another took it over
    const auto balance = balanceOf(loadCosts(shared.path()));
    EXPECT_EQ(balance.films, 2u);
    EXPECT_EQ(balance.workers, 1u);
    EXPECT_DOUBLE_EQ(balance.busiestSeconds, 2.25);
}

}  // namespace
}  // namespace dailies::curation
