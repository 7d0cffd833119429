#include "remote/follow/run_reader.h"

#include "core/base/error.h"
#include "remote/follow/clip_mirror.h"

#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

const std::string kRunA(32, 'a');
const std::string kRunB(32, 'b');

TEST(Reading, IsFramedByLengthsSoThatContentMayHoldAnything) {
    const std::string bytes = std::string("end\n\0\x1e", 6) + kRunB + " 1 1 1\n";
    const auto update = parseRunUpdates(kRunA + " 90 " + std::to_string(bytes.size()) + " 4\n" + bytes +
                                        "tsv\n" + kRunB + " 7 0 0\nend\n");
    ASSERT_EQ(update.size(), 2u);
    EXPECT_EQ(update.at(kRunA).events, bytes);
    EXPECT_EQ(update.at(kRunA).attempts, "tsv\n");
    EXPECT_EQ(update.at(kRunA).size, 90);
    EXPECT_EQ(update.at(kRunB).size, 7);
}

TEST(Reading, ThatWasCutShortIsRefusedWhole) {
    const std::string whole = kRunA + " 9 5 0\n12345end\n";
    EXPECT_NO_THROW(parseRunUpdates(whole));
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_THROW(parseRunUpdates(whole.substr(0, length)), Error) << length;
    EXPECT_THROW(parseRunUpdates(kRunA + " 9 99999999999999999999 0\nend\n"), Error);
    EXPECT_THROW(parseRunUpdates(kRunA + " 9 -1 0\nend\n"), Error);
    EXPECT_THROW(parseRunUpdates("../etc 1 0 0\nend\n"), Error);
}

TEST(MirroredPath, StaysInTheRunsFolder) {
    EXPECT_EQ(mirroredPath("/m", kRunA, "clips/step-000000400/red square-1.mp4"),
              "/m/" + kRunA + "/clips/step-000000400/red square-1.mp4");
    for (const char* bad :
         {"", "/etc/passwd", "../x", "clips/../../x", "clips/", "clips/./x", "a\nb", "a\\b", "clips//../x"})
        EXPECT_THROW(mirroredPath("/m", kRunA, bad), Error) << bad;
    EXPECT_THROW(mirroredPath("/m", "..", "clips/x.mp4"), Error);
}

}  // namespace
}  // namespace dailies::remote
