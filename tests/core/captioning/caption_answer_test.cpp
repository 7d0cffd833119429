#include "core/captioning/caption_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::captioning {
namespace {

using curation::CaptionStatus;

TEST(CaptionAnswer, IsOneLineWithoutWhatTheModelThought) {
    const auto caption =
        captionOf({.text = "<think>A dog?\nYes.</think>\n\n A dog runs.\n\nThe light is warm. "});
    EXPECT_EQ(caption.text, "A dog runs. The light is warm.");
    EXPECT_EQ(caption.status, CaptionStatus::Written);
    EXPECT_TRUE(caption.isUsable());
}

TEST(CaptionAnswer, OfNoUseIsNamed) {
    EXPECT_EQ(captionOf({.text = " \n"}).status, CaptionStatus::Empty);
    EXPECT_EQ(captionOf({.text = "A dog runs towards", .isCut = true}).status, CaptionStatus::Truncated);
    EXPECT_EQ(captionOf({.text = "<think>A dog", .isCut = true}).status, CaptionStatus::Truncated);
    EXPECT_EQ(captionOf({.text = "A dog", .isBlocked = true}).status, CaptionStatus::Refused);
    for (const char* text : {"I'm sorry, but I can't help with that.", "I’m unable to see videos.",
                             "As an AI language model, I cannot watch this."})
        EXPECT_EQ(captionOf({.text = text}).status, CaptionStatus::Refused) << text;
}

TEST(CaptionAnswer, ThatRepeatsItselfIsToldFromALongOne) {
    std::string loop = "A dog runs over the grass";
    for (int i = 0; i < 12; ++i) loop += " and the dog runs";
    EXPECT_EQ(captionOf({.text = loop, .isCut = true}).status, CaptionStatus::Repeats);
    EXPECT_EQ(
        captionOf({.text = "A man in a red coat walks a brown dog along the shore while the sun goes down "
                           "behind the hills, the water is calm, and the camera follows the man and the dog "
                           "from the left until both stand still beside a boat."})
            .status,
        CaptionStatus::Written);
    EXPECT_EQ(captionOf({.text = "a dog a dog a dog a dog"}).status, CaptionStatus::Written)
        << "too short to tell";
}

}  // namespace
}  // namespace dailies::captioning
