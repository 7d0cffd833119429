#include "trainer/data/held_out.h"

#include "core/base/error.h"
#include "tests/trainer/data/numbered_source.h"
#include "trainer/data/moving_shapes.h"

#include <gtest/gtest.h>

#include <set>

namespace dailies::trainer {
namespace {

TEST(HeldOut, SharesTheClipsOutWithoutLosingOrSharingAny) {
    NumberedSource source({10, 0, 30, 7});
    for (const std::int64_t count : {0, 1, 5, 12, 46}) {
        HeldOut split(source, count);
        std::set<std::string> seen;
        for (const auto index : split.indices())
            EXPECT_TRUE(seen.insert(source.example(index).caption).second);
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(count));
        auto& training = split.training();
        EXPECT_EQ(training.size(), 47 - count);
        for (std::int64_t i = 0; i < training.size(); ++i) {
            EXPECT_TRUE(seen.insert(training.example(i).caption).second) << "also held out";
            EXPECT_EQ(training.identity(i), "clip " + training.example(i).caption);
        }
        EXPECT_EQ(seen.size(), 47U);
    }
}

TEST(HeldOut, TakesFromEveryBucketByItsSizeAndFromItsEnd) {
    NumberedSource source({100, 300});
    HeldOut split(source, 8);
    EXPECT_EQ(split.indices(), (std::vector<std::int64_t>{98, 99, 394, 395, 396, 397, 398, 399}));
    EXPECT_EQ(split.training().bucketSizes(), (std::vector<std::int64_t>{98, 294}));
    EXPECT_EQ(split.training().example(98).caption, "100") << "the second bucket begins there";
}

TEST(HeldOut, OfGeneratedClipsAreOnesThatTrainingNeverMakes) {
    MovingShapes shapes(config::TrainConfig::Data{}, 0);
    HeldOut split(shapes, 3);
    EXPECT_EQ(split.indices().size(), 3U);
    EXPECT_GT(split.indices()[0], 1'000'000'000'000);
    EXPECT_EQ(&split.training(), &shapes);
}

TEST(HeldOut, OfAllClipsIsRefused) {
    NumberedSource source({4});
    try {
        HeldOut(source, 4);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(error.full().find("validation.clips: found 4 for data of 4 clips"), std::string::npos);
    }
}

}  // namespace
}  // namespace dailies::trainer
