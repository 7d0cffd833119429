#include "core/sweep/resources.h"

#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

TEST(Resources, TimesAreTakenInEveryFormOfSbatchAndNoOther) {
    for (const char* time :
         {"5", "90:30", "0:20:00", "100:00:00", "1-0", "1-12:30", "2-00:00:00", "UNLIMITED", "infinite"})
        EXPECT_TRUE(isSbatchTime(time)) << time;
    for (const char* time :
         {"", "1h", "20 min", "-5", "1:2:3:4", "0:75:00", "1-", "1-2-3", "5; rm -rf /", "5\n"})
        EXPECT_FALSE(isSbatchTime(time)) << time;
}

TEST(Resources, MemoryIsTakenAsSbatchTakesIt) {
    for (const char* memory : {"2G", "512M", "1t", "4096", "0"})
        EXPECT_TRUE(isSbatchMemory(memory)) << memory;
    for (const char* memory : {"", "2GB", "1.5G", "-1G", "G", "2 G", "2G\n"})
        EXPECT_FALSE(isSbatchMemory(memory)) << memory;
}

TEST(Resources, NamesThatCouldBreakOutOfTheScriptAreRefused) {
    Resources resources;
    EXPECT_FALSE(validationError(resources));
    for (const char* name : {"a b", "a\nb", "--uid=0", "a;b", "$(x)", "a'b"}) {
        resources.partition = name;
        EXPECT_TRUE(validationError(resources)) << name;
    }
    resources.partition = "gpu-a100,main";
    EXPECT_FALSE(validationError(resources));
}

}  // namespace
}  // namespace dailies::sweep
