#include "remote/trainer_install/build_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

using testing::ElementsAre;

TEST(BuildLog, ShowsTheCompilersFirstErrorWithItsPlace) {
    EXPECT_THAT(
        firstErrors(
            "[1/9] Building a.cpp.o\nFAILED: a.cpp.o\n"
            "a.cpp:3:5: error: 'x' was not declared in this scope\n    3 |     x = 1;\n      |     ^\n"
            "ninja: build stopped: subcommand failed.\n",
            2),
        ElementsAre("a.cpp:3:5: error: 'x' was not declared in this scope", "3 |     x = 1;"));
}

TEST(BuildLog, ShowsWhatCMakeMissed) {
    EXPECT_THAT(firstErrors("-- Configuring\nCMake Error at CMakeLists.txt:9 (find_package):\n  By not "
                            "providing FindTorch\n"),
                ElementsAre("CMake Error at CMakeLists.txt:9 (find_package):", "By not providing FindTorch"));
}

TEST(BuildLog, WithoutAComplaintItsEndIsShown) {
    EXPECT_THAT(firstErrors("one\ntwo\n\nthree\n", 2), ElementsAre("two", "three"));
    EXPECT_THAT(firstErrors("", 2), ElementsAre());
}

TEST(BuildLog, TheLastLineIsInertAndWhatWasToBeSeen) {
    EXPECT_EQ(lastLine("[1/2] a\n[2/2] b\n\n"), "[2/2] b");
    EXPECT_EQ(lastLine("10 %\r20 %"), "20 %");
    EXPECT_EQ(lastLine("\x1b[2Jx").find('\x1b'), std::string::npos);
    EXPECT_EQ(lastLine(""), "");
}

}  // namespace
}  // namespace dailies::remote
