#include "core/sources/registry.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(JsonLinesSource, KnowsItsFilesByTheirNames) {
    EXPECT_EQ(sourceOf("out/metrics.jsonl"), &jsonLines());
    EXPECT_EQ(sourceOf("events.jsonl"), &dailiesEvents());
}

TEST(JsonLinesSource, ARowWithAStepIsPoints) {
    const auto read = readWhole(jsonLines(),
                                "{\"step\": 1, \"loss\": 0.5, \"optim\": {\"lr\": 1e-4}, \"name\": \"a\"}\n"
                                "{\"global_step\": 2.0, \"loss\": NaN, \"timestamp\": 1700000000.5}\r\n"
                                "{\"iteration\": 3, \"loss\": \"-Infinity\", \"time\": 0.25}\n"
                                "{\"prompt\": \"step by step\"}\n"
                                "not json with a step\n\n"
                                "{\"step\": \"four\", \"loss\": 1}\n");
    EXPECT_THAT(read.steps("loss"), ElementsAre(1, 2, 3));
    EXPECT_THAT(read.values("loss"), ElementsAre(0.5, testing::NanSensitiveDoubleEq(NAN), -INFINITY));
    EXPECT_THAT(read.values("optim.lr"), ElementsAre(1e-4));
    EXPECT_THAT(read.values("time"), ElementsAre(0.25)) << "a duration";
    EXPECT_EQ(read.findings.metrics.at("loss")[0].timestampMs, kReadMs);
    EXPECT_EQ(read.findings.metrics.at("loss")[1].timestampMs, 1'700'000'000'500);
    EXPECT_THAT(read.findings.metrics, SizeIs(3));
    EXPECT_THAT(read.findings.problems, IsEmpty());
}

TEST(JsonLinesSource, AFragmentOfTrackioIsRead) {
    const auto read = readWhole(
        jsonLines(),
        R"({"v": 1, "kind": "metric", "project": "p", "run": "r", "metrics": {"loss": 0.5, "opt": {"lr": 1e-4}}, )"
        R"("step": 7, "timestamp": "2023-11-14T23:13:20.250000+01:00", "log_id": "a"})"
        "\n");
    EXPECT_THAT(read.findings.metrics, SizeIs(2));
    EXPECT_EQ(read.findings.metrics.at("loss")[0], (tracking::MetricPoint{7, 1'700'000'000'250, 0.5}));
    EXPECT_THAT(read.values("opt.lr"), ElementsAre(1e-4));
    EXPECT_EQ(readWhole(jsonLines(), R"({"step": 1, "a": 1, "time": "2023-11-14 22:13:20"})"
                                     "\n")
                  .findings.metrics.at("a")[0]
                  .timestampMs,
              1'700'000'000'000);
    for (const char* other : {"2023-13-14T22:13:20", "yesterday", "2023-11-14", "2023-11-14T2x:13:20", ""})
        EXPECT_EQ(readWhole(jsonLines(), R"({"step": 1, "a": 1, "time": ")" + std::string(other) + "\"}\n")
                      .findings.metrics.at("a")[0]
                      .timestampMs,
                  kReadMs)
            << other;
}

TEST(JsonLinesSource, AFragmentOfTrackioHasVideosAndAConfig) {
    const std::string file =
        R"({"v":1,"kind":"metric","project":"p","run":"r","run_id":"i","metrics":{"loss":0.5,"val":{"_type":)"
        R"("trackio.video","file_path":"p/r/7/0a.mp4","caption":"a red fox"},"img":{"_type":"trackio.image",)"
        R"("file_path":"p/r/7/1b.png","caption":null,"width":3}},"step":7,"timestamp":"2023-11-14T22:13:20+00:00",)"
        R"("config":{"lr":1e-4,"model":{"name":"wan","ema":true},"_Username":"me"},"log_id":"a"})"
        "\n"
        R"({"v":1,"kind":"metric","project":"p","run":"r","metrics":{"loss":0.25},"step":8,"config":null,"log_id":"b"})"
        "\n"
        R"({"v":1,"kind":"system_metric","project":"p","run":"r","metrics":{"gpu":3},"log_id":"c"})"
        "\n";
    const auto read = readWhole(jsonLines(), file, "trackio/inbox/w/00000000.jsonl");
    EXPECT_THAT(read.steps("loss"), ElementsAre(7, 8));
    EXPECT_THAT(read.findings.metrics, SizeIs(1));
    ASSERT_THAT(read.findings.media, SizeIs(1));
    const auto& video = read.findings.media[0];
    EXPECT_EQ(video.path, "../../media/p/r/7/0a.mp4") << "beside the inbox";
    EXPECT_EQ(video.caption, "a red fox");
    EXPECT_EQ(video.step, 7);
    EXPECT_EQ(video.timestampMs, 1'700'000'000'000);
    EXPECT_EQ(read.findings.params.at("lr"), "0.0001");
    EXPECT_EQ(read.findings.params.at("model.ema"), "True");
    EXPECT_EQ(read.findings.params.at("model.name"), "wan");
    EXPECT_THAT(read.findings.params, SizeIs(3));
    expectSameHoweverItIsCut(jsonLines(), file);
}

TEST(JsonLinesSource, ReadsTheSameHoweverItIsCut) {
    expectSameHoweverItIsCut(jsonLines(),
                             "{\"step\": 1, \"loss\": 0.5}\r\n{\"step\": 2, \"loss\": NaN}\nrubbish\n"
                             "{\"step\": 3, \"a\": {\"b\": 1}}\n{\"step\": 4, \"lo");
}

TEST(JsonLinesSource, ALineOfMegabytesIsPassedOverWhereverItIsCut) {
    const std::string before = "{\"step\": 1, \"loss\": 1}\n", after = "\n{\"step\": 2, \"loss\": 2}\n";
    const auto file = before + std::string(3 << 20, 'x') + after;
    const auto whole = told(readWhole(jsonLines(), file));
    EXPECT_THAT(whole, HasSubstr("longer than 1 MiB"));
    for (const std::size_t cut : {std::size_t{10}, before.size() + 100, before.size() + (2 << 20),
                                  before.size() + (3 << 20), file.size() - 2}) {
        Followed followed;
        followed.read(jsonLines(), std::string_view(file).substr(0, cut));
        followed.read(jsonLines(), file);
        EXPECT_EQ(told(followed), whole) << cut;
    }
    EXPECT_THAT(readWhole(jsonLines(), file).values("loss"), ElementsAre(1, 2));
}

TEST(JsonLinesSource, WhatIsMadeToDoHarmIsBounded) {
    std::string row = "{\"step\": 1";
    for (int i = 0; i < 20'000; ++i) row += ", \"m" + std::to_string(i) + "\": 1";
    expectBounded(jsonLines(), row + "}\n");
    row = "{\"step\": 1";
    for (int i = 99'999; i > 0; --i) row += ",\"" + std::to_string(i) + "\":1";
    expectBounded(jsonLines(), row + "}\n");  // in a time in proportion to it
    std::string deep = "{\"step\": 1, \"a\": ";
    for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
    expectBounded(jsonLines(), deep + std::string(100'000, '}') + "}\n");
    expectBounded(jsonLines(),
                  "{\"step\": 1e300, \"a\": 1e999}\n{\"step\": 18446744073709551615, \"a\": 1}\n"
                  "{\"step\": 1, \"\xFF\xFE\": 1, \"\": 2}\n");
}

}  // namespace
}  // namespace dailies::sources
