#include "trainer/data/prefetch.h"

#include "core/base/error.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <set>

namespace dailies::trainer {
namespace {

/// Clips that name their index; odd ones take longer, so that threads overtake each other.
class SlowSource : public DataSource {
public:
    std::int64_t size() const override { return 1000; }
    Example example(std::int64_t index) override {
        ++decoded;
        std::this_thread::sleep_for(std::chrono::microseconds(index % 2 ? 300 : 20));
        if (index == broken) throw Error("clip " + std::to_string(index) + " is broken");
        return {.caption = std::to_string(index)};
    }
    std::vector<std::string> captions() const override { return {}; }
    ValueScale valueScale() const override { return {}; }

    std::atomic<int> decoded = 0;
    std::int64_t broken = -1;
};

std::vector<std::int64_t> threeOf(std::int64_t step) {
    return {3 * step, 3 * step + 1, 3 * step + 2};
}

std::vector<std::string> captionsOf(const std::vector<Example>& examples) {
    std::vector<std::string> captions;
    for (const auto& example : examples) captions.push_back(example.caption);
    return captions;
}

TEST(Prefetch, GivesTheSameClipsInTheSameOrderWithAnyNumberOfWorkers) {
    for (const std::int64_t workers : {0, 1, 2, 7}) {
        SlowSource source;
        Prefetch prefetch(source, threeOf, workers);
        for (std::int64_t step = 5; step < 40; ++step)
            ASSERT_EQ(captionsOf(prefetch.take(step)),
                      (std::vector{std::to_string(3 * step), std::to_string(3 * step + 1),
                                   std::to_string(3 * step + 2)}))
                << workers << " workers";
    }
}

TEST(Prefetch, StartsAgainWhereItIsAskedTo) {
    SlowSource source;
    Prefetch prefetch(source, threeOf, 2);
    for (const std::int64_t step : {1, 2, 90, 91, 7, 7})
        EXPECT_EQ(captionsOf(prefetch.take(step))[0], std::to_string(3 * step));
}

TEST(Prefetch, ThrowsWhereTheBrokenClipIsTakenAndGoesOn) {
    for (const std::int64_t workers : {0, 3}) {
        SlowSource source;
        source.broken = 10;  // of step 3
        Prefetch prefetch(source, threeOf, workers);
        EXPECT_NO_THROW(prefetch.take(2));
        EXPECT_THROW(prefetch.take(3), Error);
        EXPECT_EQ(captionsOf(prefetch.take(4))[0], "12");
    }
}

TEST(Prefetch, WorksAheadWhileAStepTrains) {
    SlowSource source;
    Prefetch prefetch(source, threeOf, 2);
    prefetch.take(1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (source.decoded < 9 && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_GE(source.decoded, 9) << "steps 2 and 3 are decoded without being asked for";
    EXPECT_LE(source.decoded, 12) << "but no more than that";
}

TEST(Prefetch, EndsWhileItsWorkersAreBusy) {
    SlowSource source;
    for (int i = 0; i < 20; ++i) {
        Prefetch prefetch(source, threeOf, 4);
        prefetch.take(1);
    }
}

}  // namespace
}  // namespace dailies::trainer
