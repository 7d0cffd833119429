// What clips were made from, and what is known of each of their frames.
#include "core/tracking/store.h"
#include "tests/core/tracking/store_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::tracking {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

class ClipInputsTest : public StoreTest {
protected:
    ClipInputsTest() { m_store.createRun(m_made); }

    /// A clip of each of these steps, made from one picture.
    void sample(std::int64_t attempt, const std::vector<std::int64_t>& steps) {
        std::vector<events::Event> events;
        for (const auto step : steps) {
            auto event = clip(attempt, step);
            auto& made = std::get<events::Clip>(event.payload);
            made.inputs = {{"reference", kPicture}, {"dwpose", "clips/inputs/poses.mp4"}};
            made.perFrame = {{"pose_error", {std::nan(""), 0.5, static_cast<double>(step)}}};
            events.push_back(event);
        }
        m_store.ingest(m_run, events, ++m_offset);
    }
    std::vector<std::string> toFetch() const {
        std::vector<std::string> paths;
        for (const auto& clip : m_store.clipsToFetch("sandbox")) paths.push_back(clip.path);
        return paths;
    }

    static constexpr const char* kPicture = "clips/inputs/picture.mp4";
    Store m_store{file()};
    tracking::Run m_made = aRun();
    std::string m_run = m_made.id;
    std::int64_t m_offset = 0;
};

TEST_F(ClipInputsTest, AreFetchedOnceForAllClipsThatAreMadeFromThem) {
    sample(1, {100, 200});
    EXPECT_THAT(toFetch(), testing::UnorderedElementsAre("clips/inputs/picture.mp4", "clips/inputs/poses.mp4",
                                                         "clips/step-100/red square left.mp4",
                                                         "clips/step-200/red square left.mp4"));
    m_store.setClipLocalPath(m_run, kPicture, "/mirror/picture.mp4");
    sample(1, {300});
    for (const auto& input : m_store.clipInputs({m_run}))
        EXPECT_EQ(input.localPath, input.path == kPicture ? "/mirror/picture.mp4" : "") << input.clip;
    EXPECT_THAT(toFetch(), testing::Not(testing::Contains(kPicture)));
    EXPECT_THAT(m_store.clips({m_run}), testing::SizeIs(3)) << "they are no clips of the run's own";
}

TEST_F(ClipInputsTest, AndCurvesGoWithTheClipsThatAResumedRunMakesAgain) {
    sample(1, {100, 200});
    m_store.ingest(m_run, {at(2, events::Resume{100})}, ++m_offset);
    EXPECT_THAT(m_store.clipInputs({m_run}),
                testing::Each(Field(&ClipInput::clip, "clips/step-100/red square left.mp4")));
    const auto curves = m_store.clipCurves({m_run});
    ASSERT_EQ(curves.size(), 1U);
    EXPECT_EQ(curves[0].name, "pose_error");
    ASSERT_EQ(curves[0].values.size(), 3U);
    EXPECT_TRUE(std::isnan(curves[0].values[0]));
    EXPECT_EQ(curves[0].values[2], 100);
}

TEST_F(ClipInputsTest, ThatAreHereStayWhenTheirClipIsMadeAgain) {
    sample(1, {100});
    m_store.setClipLocalPath(m_run, kPicture, "/mirror/picture.mp4");
    sample(1, {100});
    EXPECT_THAT(toFetch(), testing::Not(testing::Contains(kPicture)));
}

TEST_F(ClipInputsTest, OfProgramsThatAreWatchedAreKept) {
    SourceBatch batch{"Dailies", "events.jsonl", {}, {.offset = 10}, {}};
    SourceMedia media{
        .key = "a.mp4", .path = "clips/a.mp4", .caption = "anna", .type = "video-file", .step = 3};
    media.inputs = {{"reference", "clips/inputs/anna.png"}};
    media.perFrame = {{"pose_error", {0.5}}};
    batch.findings.media = {media};
    ASSERT_TRUE(m_store.ingestSource(m_run, batch));
    ASSERT_THAT(m_store.clipInputs({m_run}), testing::SizeIs(1));
    EXPECT_EQ(m_store.clipInputs({m_run})[0].path, "clips/inputs/anna.png");
    EXPECT_EQ(m_store.clipCurves({m_run}).at(0).values, std::vector{0.5});
    EXPECT_THAT(toFetch(), testing::Contains("clips/inputs/anna.png"));
}

TEST_F(ClipInputsTest, AreThoseOfTheLastTimeThatAClipWasMade) {
    sample(1, {100});
    m_store.ingest(m_run, {clip(1, 100)}, ++m_offset);
    EXPECT_THAT(m_store.clipInputs({m_run}), IsEmpty());
    EXPECT_THAT(m_store.clipCurves({m_run}), IsEmpty());
}

}  // namespace
}  // namespace dailies::tracking
