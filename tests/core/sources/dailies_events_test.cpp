#include "core/sources/registry.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kEvents =
    R"({"seq": 1, "attempt": 1, "time": 1700000000.5, "type": "start", "host": "node1", "ranks": 1, "facts": {}}
{"seq": 2, "attempt": 1, "time": 1700000001, "type": "metrics", "step": 1, "values": {"loss": 0.5, "lr": "NaN"}}
{"seq": 3, "attempt": 1, "time": 1700000002, "type": "metrics", "step": 2, "values": {"loss": 0.25}}
{"seq": 4, "attempt": 1, "time": 17000
{"seq": 4, "attempt": 2, "time": 1700000003, "type": "resume", "from_step": 1}
{"seq": 5, "attempt": 2, "time": 1700000004, "type": "metrics", "step": 2, "values": {"loss": 0.75}}
{"seq": 6, "attempt": 2, "time": 1700000005, "type": "clip", "step": 2, "prompt": "a cat", "seed": 7, "path": "clips/a.mp4"}
{"seq": 7, "attempt": 2, "time": 1700000006, "type": "something new"}
{"seq": 8, "attempt": 2, "time": 1700000007, "type": "end", "status": "finished", "step": 2, "reason": ""}
)";

TEST(DailiesEvents, GiveCurvesAndClipsOfAnotherPersonsRun) {
    EXPECT_EQ(sourceOf("runs/a/events.jsonl"), &dailiesEvents());
    const auto read = readWhole(dailiesEvents(), kEvents);
    EXPECT_THAT(read.steps("loss"), ElementsAre(1, 2));
    EXPECT_THAT(read.values("loss"), ElementsAre(0.5, 0.75)) << "the second attempt's";
    EXPECT_THAT(read.values("lr"), ElementsAre(testing::NanSensitiveDoubleEq(NAN)));
    EXPECT_EQ(read.findings.metrics.at("loss")[0].timestampMs, 1'700'000'001'000);
    ASSERT_THAT(read.findings.media, SizeIs(1));
    EXPECT_EQ(read.findings.media[0].path, "clips/a.mp4");
    EXPECT_EQ(read.findings.media[0].caption, "a cat");
    EXPECT_EQ(read.findings.media[0].seed, 7);
    ASSERT_TRUE(read.findings.end);
    EXPECT_EQ(read.findings.end->exitCode, 0);
    EXPECT_THAT(read.findings.problems, IsEmpty());
}

TEST(DailiesEvents, ReadTheSameHoweverTheyAreCut) {
    expectSameHoweverItIsCut(dailiesEvents(), kEvents);
}

TEST(DailiesEvents, BoundWhatIsMadeToDoHarm) {
    expectBounded(dailiesEvents(), noise(1 << 20, 7));
    std::string keys =
        R"({"seq": 1, "attempt": 1, "time": 1, "type": "metrics", "step": 1, "values": {"a": 1)";
    for (int i = 0; i < 20'000; ++i) keys += ", \"m" + std::to_string(i) + "\": 1";
    expectBounded(dailiesEvents(), keys + "}}\n");
}

}  // namespace
}  // namespace dailies::sources
