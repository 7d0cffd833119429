#include "core/base/csv.h"

#include <gtest/gtest.h>

namespace dailies {
namespace {

TEST(CsvField, IsQuotedOnlyWhereItCouldBeTakenForSomethingElse) {
    EXPECT_EQ(csvField("optimizer.lr"), "optimizer.lr");
    EXPECT_EQ(csvField(""), "");
    EXPECT_EQ(csvField(" spaces; stay "), " spaces; stay ");
    EXPECT_EQ(csvField("a,b"), "\"a,b\"");
    EXPECT_EQ(csvField("say \"so\""), "\"say \"\"so\"\"\"");
    EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
    EXPECT_EQ(csvField("a\rb"), "\"a\rb\"");
}

TEST(CsvRecord, SeparatesItsFieldsAndEndsTheLine) {
    EXPECT_EQ(csvRecord({"run", "a,b", ""}), "run,\"a,b\",\r\n");
    EXPECT_EQ(csvRecord({}), "\r\n");
}

}  // namespace
}  // namespace dailies
