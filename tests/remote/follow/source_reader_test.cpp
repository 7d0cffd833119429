#include "remote/follow/source_reader.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

namespace dailies::remote {
namespace {

const std::string kSourceA(32, 'a');
const std::string kSourceB(32, 'b');
const std::string kBoundary(32, 'f');

std::string sent(const std::string& numbers, const std::string& path, const std::string& bytes) {
    return numbers + "\n" + path + "\n" + bytes + "\n" + kBoundary + "\n";
}

TEST(FileUpdates, AreFramedByLengthsSoThatContentMayHoldAnything) {
    const std::string bytes = std::string("end\n\0", 5) + kBoundary + "\n9 9 9 0 9\n";
    const auto updates = parseFileUpdates(
        sent("90 1700000000.25 10 0 " + std::to_string(bytes.size()), kSourceA + "/logs/a b.out", bytes) +
            sent("3 1700000001.0 9 0 0", kSourceB + "/x.jsonl", "") +
            sent("8 1700000001.0 4 2 4", kSourceB + "/metrics.csv", "hebody") + "end\n",
        kBoundary);
    ASSERT_EQ(updates.size(), 3u);
    EXPECT_EQ(updates[0].runId, kSourceA);
    EXPECT_EQ(updates[0].path, "logs/a b.out");
    EXPECT_EQ(updates[0].bytes, bytes);
    EXPECT_EQ(updates[0].offset, 10);
    EXPECT_EQ(updates[0].modifiedMs, 1700000000250);
    EXPECT_EQ(updates[1].size, 3) << "it is shorter than what was read of it";
    EXPECT_EQ(updates[1].bytes, "");
    EXPECT_EQ(updates[2].head, "he");
    EXPECT_EQ(updates[2].bytes, "body");
}

TEST(FileUpdates, AFileThatShrankWhileItWasSentIsLeftOutAndNoOther) {
    const auto updates = parseFileUpdates(sent("90 1.0 0 0 50", kSourceA + "/metrics.csv", "short") +
                                              sent("4 1.0 0 0 4", kSourceB + "/x.jsonl", "1234") + "end\n",
                                          kBoundary);
    ASSERT_EQ(updates.size(), 1u);
    EXPECT_EQ(updates[0].bytes, "1234");
}

TEST(FileUpdates, ThatWereCutShortAreRefusedWhole) {
    const std::string whole = sent("9 1.5 0 0 5", kSourceA + "/a.out", "12345") + "end\n";
    EXPECT_NO_THROW(parseFileUpdates(whole, kBoundary));
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_THROW(parseFileUpdates(whole.substr(0, length), kBoundary), Error) << length;
    EXPECT_THROW(parseFileUpdates(sent("9 1 0 0 -5", kSourceA + "/a.out", "12345") + "end\n", kBoundary),
                 Error);
    EXPECT_TRUE(parseFileUpdates(sent("5 1 0 0 5", "../etc/passwd", "12345") + "end\n", kBoundary).empty());
}

}  // namespace
}  // namespace dailies::remote
