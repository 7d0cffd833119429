#include "core/sources/registry.h"
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

TEST_P(EverySource, AFileThatStaysShorterIsReadAnew) {
    const Source& source = *GetParam();
    const auto look = [&](std::int64_t size, std::int64_t ms, const Cursor& cursor) {
        return source
            .read({.path = {}, .bytes = {}, .head = {}, .fileSize = size, .readMs = kReadMs + ms}, cursor)
            .next;
    };
    const auto seen = look(10, 0, {.offset = 100, .attempt = 3});
    EXPECT_EQ(seen.offset, 100) << "another machine may know less of it";
    EXPECT_EQ(look(10, 59'000, seen).offset, 100);
    EXPECT_EQ(look(10, 90'000, look(100, 59'000, seen)).offset, 100) << "it was there again";
    const auto anew = look(10, 60'000, seen);
    EXPECT_EQ(anew.offset, 0);
    EXPECT_FALSE(anew.stopped);
    EXPECT_EQ(anew.attempt, 3);
}

TEST(Sources, HaveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (const auto* source : sources()) EXPECT_TRUE(names.insert(source->name()).second) << source->name();
    EXPECT_EQ(sourceNamed("nobody"), nullptr);
    EXPECT_EQ(sourceOf("config.json"), nullptr);
    EXPECT_EQ(sourceOf("events.jsonl"), &dailiesEvents());
}

}  // namespace
}  // namespace dailies::sources
