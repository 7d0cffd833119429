#include "trainer/text/caption_cleaning.h"

#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

struct Cleaned {
    const char* caption;
    const char* clean;
};

// The right side is what html.unescape twice, str.strip and re.sub(r"\s+", " ", …) of Python 3.11 give.
constexpr Cleaned kCaptions[] = {
    {"a red ball", "a red ball"},
    {"  a\tred\n\n ball \r\n", "a red ball"},
    {"", ""},
    {" \n ", ""},
    {"Tom &amp; Jerry", "Tom & Jerry"},
    {"Tom &amp;amp; Jerry", "Tom & Jerry"},
    {"&lt;b&gt;bold&lt;/b&gt;", "<b>bold</b>"},
    {"it&#39;s &quot;late&quot; &#x2014; caf&eacute;", "it's \"late\" — café"},
    {"caf&eacute at &copy2024", "café at ©2024"},
    {"&notit; &hellip; &hellip", "¬it; … &hellip"},
    {"fish & chips &nosuch; &", "fish & chips &nosuch; &"},
    {"&#150;&#0;&#xD800;&#x1F600;&#99999999999;", "–��😀�"},
    {"a&#1;b &#; &#x; &#xZ;", "ab &#; &#x; &#xZ;"},
    {"\xC2\xA0"
     "a&nbsp;\xE3\x80\x80\xE2\x80\x83"
     "b\xE2\x80\xA8",
     "a b"},
    {"zero\xE2\x80\x8Bwidth", "zero\xE2\x80\x8Bwidth"},
    {"二 匹の猫", "二 匹の猫"},
};

TEST(CaptionCleaning, IsThatOfThePublishedModelsPrograms) {
    for (const auto& [caption, clean] : kCaptions) EXPECT_EQ(cleanCaption(caption), clean) << caption;
}

TEST(CaptionCleaning, BytesThatAreNoUtf8StayAsTheyAre) {
    EXPECT_EQ(cleanCaption("a \xE2\x80"), "a \xE2\x80");
    EXPECT_EQ(cleanCaption("\xFF\xC2"), "\xFF\xC2");
}

}  // namespace
}  // namespace dailies::trainer
