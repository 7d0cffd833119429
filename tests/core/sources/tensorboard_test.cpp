#include "core/sources/registry.h"
#include "tests/core/exchange/tracker_files.h"
#include "tests/core/sources/source_fixture.h"

namespace dailies::sources {
namespace {

using exchange::event;
using exchange::eventRecord;
using exchange::scalarEvent;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string startAt(std::int64_t step) {
    return event(step, [](tensorboard::Event& message) {
        message.mutable_session_log()->set_status(tensorboard::SessionLog::START);
    });
}

std::string textEvent(std::int64_t step, const std::string& tag, const std::string& text, bool namesPlugin) {
    return event(step, [&](tensorboard::Event& message) {
        auto* entry = message.mutable_summary()->add_value();
        entry->set_tag(tag);
        if (namesPlugin) entry->mutable_metadata()->mutable_plugin()->set_name("text");
        entry->mutable_tensor()->set_dtype(7);
        entry->mutable_tensor()->add_string_val(text);
    });
}

std::string hparamsEvent(const std::string& name, double value) {
    return event(0, [&](tensorboard::Event& message) {
        tensorboard::HParamsData data;
        (*data.mutable_session_start()->mutable_hparams())[name].set_number_value(value);
        auto* entry = message.mutable_summary()->add_value();
        entry->set_tag("_hparams_/session_start_info");
        entry->mutable_metadata()->mutable_plugin()->set_content(data.SerializeAsString());
    });
}

std::string imageEvent(std::size_t bytes) {
    return event(1, [&](tensorboard::Event& message) {
        auto* entry = message.mutable_summary()->add_value();
        entry->set_tag("samples");
        entry->set_image(std::string(bytes, 'x'));
    });
}

/// A header whose checksum fits its length.
std::string header(std::uint64_t length) {
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
    const auto crc = crc32c(bytes);
    const std::uint32_t masked = ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
    return bytes.append(reinterpret_cast<const char*>(&masked), sizeof masked);
}

TEST(TensorBoardSource, KnowsItsFilesByTheirNames) {
    EXPECT_EQ(sourceOf("logs/a/events.out.tfevents.1700000000.host.1.0"), &tensorBoard());
    EXPECT_EQ(sourceOf("events.jsonl.tfevents/other.bin"), nullptr);
}

TEST(TensorBoardSource, ReadsScalarsWithTheirStepAndTime) {
    const auto file = scalarEvent(1, "train/loss", 0.5F) + scalarEvent(2, "train/loss", NAN);
    const auto read = readWhole(tensorBoard(), file);
    ASSERT_THAT(read.findings.metrics.at("train/loss"), SizeIs(2));
    EXPECT_EQ(read.findings.metrics.at("train/loss")[0], (tracking::MetricPoint{1, 1'700'000'001'000, 0.5}));
    EXPECT_TRUE(std::isnan(read.values("train/loss")[1]));
    EXPECT_EQ(read.cursor.offset, static_cast<std::int64_t>(file.size()));
    EXPECT_THAT(read.findings.problems, IsEmpty());
}

TEST(TensorBoardSource, ReadsTheSameHoweverItIsCut) {
    expectSameHoweverItIsCut(
        tensorBoard(), scalarEvent(1, "loss", 1) + hparamsEvent("lr", 0.25) + scalarEvent(2, "loss", 2) +
                           textEvent(2, "config/text_summary", "a: 1", true) + scalarEvent(3, "loss", 3) +
                           textEvent(3, "config/text_summary", "a: 2", false) + imageEvent(100) + startAt(2) +
                           scalarEvent(2, "loss", 20) + scalarEvent(3, "loss", 30) + startAt(3) +
                           scalarEvent(3, "loss", 300) + scalarEvent(1, "lr", 1));
}

TEST(TensorBoardSource, AResumeVoidsWhatItRepeats) {
    const auto file = scalarEvent(1, "loss", 1) + scalarEvent(2, "loss", 2) + startAt(2);
    const auto read = readWhole(tensorBoard(), file + scalarEvent(2, "loss", 20));
    EXPECT_EQ(read.findings.voidFrom, std::nullopt) << "nobody asks a whole file";
    const auto reading = tensorBoard().read(
        {.path = {}, .bytes = file, .fileSize = static_cast<std::int64_t>(file.size()), .readMs = kReadMs},
        {});
    EXPECT_EQ(reading.findings.voidFrom, 2) << "an earlier file of the folder may have that step";
    EXPECT_THAT(read.values("loss"), ElementsAre(1, 20));
}

TEST(TensorBoardSource, PicturesThatMoveAreVideosInsideTheFile) {
    const auto gif = exchange::movingGif();
    const auto tensor = event(7, [&](tensorboard::Event& message) {
        auto* entry = message.mutable_summary()->add_value();
        entry->set_tag("tf2");
        entry->mutable_metadata()->mutable_plugin()->set_name("images");
        for (const std::string& text : {std::string("1"), std::string("1"), gif, gif})
            entry->mutable_tensor()->add_string_val(text);
    });
    const auto file = exchange::videoEvent(500, "val/a red fox", gif) + scalarEvent(1, "loss", 1) + tensor;
    const auto read = readWhole(tensorBoard(), file);
    ASSERT_THAT(read.findings.media, SizeIs(3));
    const auto& video = read.findings.media[0];
    EXPECT_EQ(video.path, "val~a_red_fox/step-000000500.gif");
    EXPECT_EQ(video.caption, "val/a red fox");
    EXPECT_EQ(video.step, 500);
    EXPECT_EQ(video.bytes, gif);
    EXPECT_EQ(read.findings.media[1].path, "tf2/step-000000007.gif");
    EXPECT_EQ(read.findings.media[2].path, "tf2/step-000000007-1.gif");
    EXPECT_EQ(read.findings.media[2].seed, 1);
    EXPECT_THAT(read.findings.problems, IsEmpty());
    expectSameHoweverItIsCut(tensorBoard(), file);
    const auto odd = readWhole(tensorBoard(), exchange::videoEvent(-3, "../../etc\n", gif) +
                                                  exchange::videoEvent(1, "", gif) +
                                                  exchange::videoEvent(1, "still", "\x89PNG"));
    ASSERT_THAT(odd.findings.media, SizeIs(2));
    EXPECT_EQ(odd.findings.media[0].path, "__~__~etc_/step-000000000.gif");
    EXPECT_EQ(odd.findings.media[1].path, "video/step-000000001.gif");
    EXPECT_THAT(odd.findings.problems, ElementsAre("its images are not read."));
}

TEST(TensorBoardSource, TextsAndHyperparametersAreTagsAndParamsAndPicturesAreTold) {
    const auto read = readWhole(tensorBoard(), hparamsEvent("lr", 0.25) + imageEvent(10) + imageEvent(10) +
                                                   textEvent(1, "prompt/text_summary", "a cat", true));
    EXPECT_EQ(read.findings.params.at("lr"), "0.25");
    EXPECT_EQ(read.findings.tags.at("prompt"), "a cat");
    EXPECT_THAT(read.findings.problems, ElementsAre("its images are not read."));
}

TEST(TensorBoardSource, ADamagedRecordEndsTheReadingForGood) {
    auto file = scalarEvent(1, "loss", 1) + scalarEvent(2, "loss", 2) + scalarEvent(3, "loss", 3);
    const auto first = scalarEvent(1, "loss", 1).size();
    file[first + 20] ^= 1;
    Followed followed;
    followed.read(tensorBoard(), file);
    EXPECT_THAT(followed.values("loss"), ElementsAre(1));
    EXPECT_TRUE(followed.cursor.stopped);
    EXPECT_THAT(followed.findings.problems, ElementsAre(HasSubstr("byte " + std::to_string(first))));
    followed.read(tensorBoard(), file + scalarEvent(4, "loss", 4));
    EXPECT_THAT(followed.findings.problems, SizeIs(1)) << "told once";
    EXPECT_THAT(followed.values("loss"), ElementsAre(1));
}

TEST(TensorBoardSource, ZerosWhereTheNewestBytesAreToComeAreNoDamage) {
    const auto whole = scalarEvent(1, "loss", 1) + scalarEvent(2, "loss", 2);
    auto seen = whole;
    std::fill(seen.begin() + static_cast<std::ptrdiff_t>(whole.size() / 2 + 8), seen.end(), '\0');
    Followed followed;
    followed.read(tensorBoard(), seen);
    EXPECT_FALSE(followed.cursor.stopped);
    followed.read(tensorBoard(), whole);
    EXPECT_THAT(followed.values("loss"), ElementsAre(1, 2));
}

TEST(TensorBoardSource, ARecordOfMegabytesIsPassedOver) {
    const auto before = scalarEvent(1, "loss", 1), after = scalarEvent(2, "loss", 2);
    const auto large = imageEvent(5 << 20);
    const auto file = before + large + after;
    const auto whole = told(readWhole(tensorBoard(), file));
    EXPECT_THAT(whole, HasSubstr("longer than 4 MiB"));
    for (const auto cut : {before.size() + 5, before.size() + 12, before.size() + 1'000'000,
                           before.size() + large.size(), before.size() + large.size() + 3}) {
        Followed followed;
        followed.read(tensorBoard(), std::string_view(file).substr(0, cut));
        followed.read(tensorBoard(), file);
        EXPECT_EQ(told(followed), whole) << cut;
    }
    EXPECT_THAT(readWhole(tensorBoard(), file).values("loss"), ElementsAre(1, 2));
}

TEST(TensorBoardSource, WhatIsMadeToDoHarmIsBounded) {
    expectBounded(tensorBoard(),
                  scalarEvent(1, "loss", 1) + header(std::uint64_t{1} << 60) + noise(1'000, 1));
    expectBounded(tensorBoard(), header(~std::uint64_t{0}));
    for (unsigned seed = 0; seed < 50; ++seed) {
        expectBounded(tensorBoard(), noise(2'000, seed));
        expectBounded(tensorBoard(), eventRecord(noise(200, seed)) + eventRecord(noise(20, seed)));
    }
    std::string many;
    for (int i = 0; i < 12'000; ++i) many += scalarEvent(1, "metric " + std::to_string(i), 1);
    expectBounded(tensorBoard(), many);
    EXPECT_THAT(readWhole(tensorBoard(), many).findings.problems, ElementsAre(HasSubstr("10,000 metrics")));
    std::string restarts;
    for (int i = 0; i < 250; ++i) restarts += startAt(1) + scalarEvent(1, "loss", static_cast<float>(i));
    Followed followed;
    for (int again = 0; again < 4; ++again) followed.read(tensorBoard(), restarts);
    EXPECT_EQ(followed.cursor.offset, static_cast<std::int64_t>(restarts.size()))
        << "each reading gets further";
    EXPECT_THAT(followed.values("loss"), ElementsAre(249));
    expectBounded(tensorBoard(), scalarEvent(1, std::string(100'000, 'k'), 1) + scalarEvent(1, "", 1));
}

}  // namespace
}  // namespace dailies::sources
