#include "ui/run_details/log_index.h"

#include "core/base/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace dailies::ui {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LogIndexTest : public testing::Test {
protected:
    void append(const std::string& bytes) {
        std::ofstream(file(), std::ios::app | std::ios::binary) << bytes;
    }
    std::filesystem::path file() const { return m_folder.path() / "1.out"; }

    static std::vector<std::string> texts(const LogIndex& index, std::int64_t first = 0,
                                          std::int64_t count = 1000) {
        std::vector<std::string> found;
        for (const auto& row : readRows(index, first, count)) found.push_back(row.text);
        return found;
    }

    TemporaryFolder m_folder;
};

TEST_F(LogIndexTest, AFileThatIsNotThereYetHasNoRows) {
    const auto index = indexLog(file());
    EXPECT_EQ(index->rows, 0);
    EXPECT_THAT(readRows(*index, 0, 10), IsEmpty());
    EXPECT_THAT(findRows(*index, {"x"}), IsEmpty());
}

TEST_F(LogIndexTest, RowsAreLinesWhateverEndsThem) {
    append("one\ntwo\r\n\nfour");
    const auto index = indexLog(file());
    EXPECT_THAT(texts(*index), ElementsAre("one", "two", "", "four"));
    EXPECT_EQ(index->rows, 4);
    EXPECT_EQ(index->complete, 3);
    EXPECT_EQ(index->lines, 4);
}

TEST_F(LogIndexTest, AProgressBarThatRewritesItsLineBecomesRowsOfOneLine) {
    append("10 %\r20 %\r30 %\ndone\n");
    const auto rows = readRows(*indexLog(file()), 0, 10);
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].text, "20 %");
    EXPECT_EQ(rows[2].line, 1);
    EXPECT_FALSE(rows[2].begins);
    EXPECT_EQ(rows[3].line, 2);
    EXPECT_TRUE(rows[3].begins);
}

TEST_F(LogIndexTest, GoingOnGivesTheSameAsBeginningAnewWhereverTheFileWasCut) {
    const std::string whole = "a\r\nbb\n" + std::string(5000, 'x') + "\nä€😀\rz\r\n\n\nend";
    LogIndexPtr grown;
    for (const char byte : whole) {
        append(std::string(1, byte));
        grown = indexLog(file(), grown);
    }
    const auto fresh = indexLog(file());
    EXPECT_EQ(grown->rows, fresh->rows);
    EXPECT_EQ(grown->lines, fresh->lines);
    EXPECT_EQ(texts(*grown), texts(*fresh));
    std::string joined;
    for (const auto& text : texts(*fresh)) joined += text;
    EXPECT_EQ(joined, "abb" + std::string(5000, 'x') + "ä€😀zend") << "nothing is lost at the cuts";
}

TEST_F(LogIndexTest, OneEnormousLineIsCutIntoRowsBetweenCharacters) {
    std::string line;
    for (int i = 0; i < 400'000; ++i) line += "€";
    append(line + "\n");
    const auto index = indexLog(file());
    EXPECT_GT(index->rows, 500);
    EXPECT_EQ(index->lines, 1);
    for (const auto& row : readRows(*index, index->rows / 2, 20)) {
        EXPECT_LE(row.text.size(), LogIndex::kRowBytes);
        EXPECT_EQ(row.text.find("\xef\xbf\xbd"), std::string::npos) << "a character was torn";
    }
}

TEST_F(LogIndexTest, AnyRowIsFoundAmongManyWithItsLineNumber) {
    std::string bytes;
    for (int i = 1; i <= 100'000; ++i) bytes += "line " + std::to_string(i) + "\n";
    append(bytes);
    const auto index = indexLog(file());
    EXPECT_EQ(index->rows, 100'000);
    for (const int line : {1, 64, 65, 12'345, 99'999, 100'000}) {
        const auto rows = readRows(*index, line - 1, 1);
        ASSERT_EQ(rows.size(), 1u);
        EXPECT_EQ(rows[0].text, "line " + std::to_string(line));
        EXPECT_EQ(rows[0].line, line);
        EXPECT_TRUE(rows[0].begins);
    }
    EXPECT_THAT(findRows(*index, {"LINE 77777"}), ElementsAre(77'776));
    EXPECT_THAT(findRows(*index, {"line 9999"}, 99'990),
                ElementsAre(99'990, 99'991, 99'992, 99'993, 99'994, 99'995, 99'996, 99'997, 99'998));
}

TEST_F(LogIndexTest, AWordThatIsCutBetweenTwoPiecesOfALongLineCountsForTheSecond) {
    std::string line(LogIndex::kRowBytes - 3, '.');
    std::vector<std::int64_t> cuts;
    for (std::int64_t piece = 1; piece <= 100; ++piece) {
        line += "Needle" + std::string(LogIndex::kRowBytes - 6, '.');
        cuts.push_back(piece);
    }
    append(line + "\nnee\ndle\nnee\rdle\nthe last need");
    auto index = indexLog(file());
    EXPECT_EQ(findRows(*index, {"needle"}), cuts) << "but not from line to line";
    EXPECT_EQ(findRows(*index, {"x", "needle", "eed"}, 64), [&] {
        std::vector<std::int64_t> rest(cuts.begin() + 63, cuts.end());
        rest.push_back(index->rows - 1);
        return rest;
    }());
    EXPECT_THAT(findRows(*index, {"needle"}, 101), IsEmpty());
    append("le");
    index = indexLog(file(), index);
    EXPECT_THAT(findRows(*index, {"needle"}, index->complete), ElementsAre(index->rows - 1));
}

TEST_F(LogIndexTest, AnUnfinishedFirstLineIsSearched) {
    append("Needle");
    EXPECT_THAT(findRows(*indexLog(file()), {"needle"}), ElementsAre(0));
}

TEST_F(LogIndexTest, AFileThatWasBegunAnewIsIndexedAnew) {
    append("old one\nold two\n");
    const auto before = indexLog(file());
    std::ofstream(file(), std::ios::trunc) << "new\n";
    EXPECT_THAT(texts(*indexLog(file(), before)), ElementsAre("new"));
}

TEST_F(LogIndexTest, EscapeSequencesAreHarmlessAndDoNotHideWords) {
    EXPECT_EQ(logText("\x1b[1;31mERROR\x1b[0m: no"), "ERROR: no");
    EXPECT_EQ(logText("\x1b]0;title\aafter"), "after");
    EXPECT_EQ(logText("\x1b]8;;http://x\x1b\\link"), "link");
    EXPECT_EQ(logText("a\x1b[2Jb\x1b[10;10Hc"), "abc");
    EXPECT_EQ(logText("bell\a nul" + std::string(1, '\0')), "bell␇ nul␀");
    EXPECT_EQ(logText("half \x1b["), "half ␛[");
    EXPECT_EQ(logText("bad \xff\xfe utf-8"), "bad \xef\xbf\xbd\xef\xbf\xbd utf-8");
    EXPECT_EQ(logText("\xe2\x80\xae"
                      "evil")
                  .find("\xe2\x80\xae"),
              std::string::npos);
    append("Out of \x1b[1mMem\x1b[0mory\n");
    EXPECT_THAT(findRows(*indexLog(file()), failureWords()), ElementsAre(0));
}

}  // namespace
}  // namespace dailies::ui
