#include "core/sources/source.h"

#include "tests/core/sources/source_fixture.h"

#include <set>

namespace dailies::sources {
namespace {

// what every source owes, whatever its format
class EverySource : public testing::TestWithParam<const Source*> {};

INSTANTIATE_TEST_SUITE_P(Registry, EverySource, testing::ValuesIn(sources()),
                         [](const auto& entry) { return "Source" + std::to_string(entry.index); });

TEST_P(EverySource, HasANameAndSaysHowLateItIs) {
    const Source& source = *GetParam();
    EXPECT_FALSE(source.name().empty());
    EXPECT_TRUE(source.delay().ends_with(".")) << source.delay();
    EXPECT_EQ(sourceNamed(source.name()), &source);
}

TEST_P(EverySource, NoiseIsBoundedAndAnEmptyFileIsNothing) {
    const Source& source = *GetParam();
    EXPECT_TRUE(readWhole(source, "").findings.isEmpty());
    for (unsigned seed = 0; seed < 20; ++seed) expectBounded(source, noise(100'000, seed));
    expectBounded(source, std::string(100'000, '\0'));
    expectBounded(source, std::string(10 << 20, 'x'));
    expectBounded(source, std::string(10 << 20, '['));
    expectBounded(source, "\n" + std::string(1 << 20, '{') + "\n");
}

TEST_P(EverySource, AShorterFileIsReadAnew) {
    const Source& source = *GetParam();
    const auto reading = source.read({.path = {}, .bytes = {}, .head = {}, .fileSize = 10, .readMs = kReadMs},
                                     {.offset = 100});
    EXPECT_EQ(reading.next.offset, 0);
    EXPECT_FALSE(reading.next.stopped);
}

TEST(Sources, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const auto* source : sources()) EXPECT_TRUE(names.insert(source->name()).second) << source->name();
    EXPECT_EQ(sourceNamed("nobody"), nullptr);
    EXPECT_EQ(sourceOf("config.json"), nullptr);
    EXPECT_EQ(sourceOf("events.jsonl"), nullptr) << "the trainer's own events have a reader of their own";
}

}  // namespace
}  // namespace dailies::sources
