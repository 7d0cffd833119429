#include "core/base/ids.h"

#include <gtest/gtest.h>

#include <set>

namespace dailies {
namespace {

TEST(NewId, IsAnMlflowRunIdAndNeverTheSameTwice) {
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) {
        const std::string id = newId();
        EXPECT_TRUE(isId(id)) << id;
        EXPECT_TRUE(seen.insert(id).second);
    }
}

TEST(IsId, RefusesWhatCouldNotBeAFolderOfOurs) {
    const std::string id = "0123456789abcdef0123456789abcdef";
    EXPECT_TRUE(isId(id));
    EXPECT_FALSE(isId(id.substr(1)));
    EXPECT_FALSE(isId(id + "0"));
    EXPECT_FALSE(isId("../3456789abcdef0123456789abcdef0"));
    EXPECT_FALSE(isId("0123456789ABCDEF0123456789ABCDEF"));
    EXPECT_FALSE(isId(""));
}

}  // namespace
}  // namespace dailies
