#include "core/captioning/caption_job.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::captioning {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusalOf(const Json& json) {
    try {
        parseCaptionJob(json);
    } catch (const InputError& error) {
        return error.full();
    }
    return "accepted";
}

Json job() {
    return {{"folder", "/data/set"}, {"server", "http://node:8000/v1"}};
}

TEST(CaptionJob, IsReadAsItIsWritten) {
    auto json = job();
    json.update({{"model", "Qwen/Qwen2.5-VL-7B-Instruct"},
                 {"frames", 4},
                 {"temperature", 0},
                 {"again", true},
                 {"parallel", 32},
                 {"shared_by", "abc1"}});
    const auto read = parseCaptionJob(json);
    EXPECT_EQ(read.settings.frames, 4);
    EXPECT_EQ(read.parallel, 32);
    EXPECT_EQ(toJson(parseCaptionJob(toJson(read))), toJson(read));
}

TEST(CaptionJob, SaysWhatIsWrongAndWhatWouldBeAccepted) {
    auto json = job();
    json["frams"] = 3;
    EXPECT_THAT(refusalOf(json), HasSubstr("did you mean frames?"));
    json = job();
    json["frames"] = 0;
    EXPECT_THAT(refusalOf(json), HasSubstr("frames: found 0, expected 1 to 256."));
    json = job();
    json["prompt"] = "  ";
    EXPECT_THAT(refusalOf(json), HasSubstr("what to ask of each clip"));
    EXPECT_THAT(refusalOf({{"folder", "/data/set"}}), HasSubstr("in serve a command that starts one"));
    EXPECT_THAT(refusalOf({{"folder", "/data/set"}, {"server", "node:8000"}}),
                HasSubstr("http://127.0.0.1:8000/v1"));
    EXPECT_THAT(refusalOf({{"folder", "/data/set"}, {"server", "https://ada:secret@host/v1"}}),
                AllOf(HasSubstr("OPENAI_API_KEY"), Not(HasSubstr("secret"))));
    EXPECT_THAT(refusalOf({{"server", "http://node:8000/v1"}}),
                HasSubstr("one that dailies-train curate wrote"));
}

TEST(CaptionJob, ItsKeyChangesWithWhatChangesAnAnswer) {
    const CaptionSettings settings;
    auto other = settings;
    other.prompt = "What is it?";
    EXPECT_NE(other.key(), settings.key());
    other = settings;
    other.maxTokens = 512;
    EXPECT_NE(other.key(), settings.key());
    EXPECT_EQ(CaptionSettings().key(), settings.key());
}

}  // namespace
}  // namespace dailies::captioning
