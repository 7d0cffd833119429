#include "ui/run_details/log_view.h"

#include "core/base/files.h"
#include "tests/ui/wait_until.h"
#include "ui/bridge/stall_meter.h"

#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QTest>
#include <gtest/gtest.h>

#include <fstream>

namespace dailies::ui {
namespace {

class LogViewTest : public testing::Test {
protected:
    void SetUp() override {
        m_view.resize(800, 400);
        m_view.show();
    }
    void append(const std::string& bytes) {
        std::ofstream(file(), std::ios::app | std::ios::binary) << bytes;
    }
    std::filesystem::path file() const { return m_folder.path() / "1.out"; }
    bool settle() {
        return waitUntil([&] { return m_view.isSettled(); }, 100'000);
    }

    TemporaryFolder m_folder;
    LogView m_view;
};

TEST_F(LogViewTest, OpensAtTheEndAndFollowsWhatIsWritten) {
    for (int i = 1; i <= 500; ++i) append("line " + std::to_string(i) + "\n");
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.shownRows().back(), "line 500");
    append("line 501\n");
    m_view.refresh();
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.shownRows().back(), "line 501");
}

TEST_F(LogViewTest, StaysWhereAPersonScrolledWhileTheLogGrows) {
    for (int i = 1; i <= 500; ++i) append("line " + std::to_string(i) + "\n");
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    m_view.verticalScrollBar()->setValue(100);
    EXPECT_FALSE(m_view.isFollowing());
    for (int i = 501; i <= 900; ++i) append("line " + std::to_string(i) + "\n");
    m_view.refresh();
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.topRow(), 100);
    EXPECT_EQ(m_view.shownRows().front(), "line 101");
    QTest::keyClick(&m_view, Qt::Key_End);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(m_view.isFollowing());
    EXPECT_EQ(m_view.shownRows().back(), "line 900");
}

TEST_F(LogViewTest, SearchCountsMatchesAndGoesRoundThem) {
    for (int i = 1; i <= 1000; ++i)
        append(i % 250 == 0 ? "here is a Needle\n" : "line " + std::to_string(i) + "\n");
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    m_view.search("needle");
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.matches(), 4);
    m_view.goToRow(0);
    m_view.goToMatch(1);
    EXPECT_EQ(m_view.currentMatch(), 1);
    ASSERT_TRUE(settle());
    const auto rows = m_view.shownRows();
    EXPECT_NE(std::find(rows.begin(), rows.end(), "here is a Needle"), rows.end()) << "the match is in sight";
    m_view.goToMatch(-1);
    EXPECT_EQ(m_view.currentMatch(), 4) << "backwards from the first comes the last";
    append("another needle\n");
    m_view.refresh();
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.matches(), 5) << "what comes in is searched, too";
}

TEST_F(LogViewTest, MarksAWordInBothPiecesThatItIsCutInto) {
    // Digits are equally wide in every font.
    append(std::string(LogIndex::kRowBytes - 6, '0') + "111111" + std::string(6, '0') + "\n");
    append(std::string(LogIndex::kRowBytes - 3, '0') + "111111" + std::string(6, '0') + "\n");
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    m_view.horizontalScrollBar()->setValue(m_view.horizontalScrollBar()->maximum());
    const QImage before = m_view.viewport()->grab().toImage();
    m_view.search("111111");
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.matches(), 2);
    const QImage after = m_view.viewport()->grab().toImage();
    const auto markedIn = [&](int row) {
        const int height = m_view.fontMetrics().height() + 3;
        int pixels = 0;
        for (int x = 0; x < after.width(); ++x)
            pixels += before.pixel(x, row * height + 2) != after.pixel(x, row * height + 2);
        return pixels;
    };
    const int whole = markedIn(0);
    EXPECT_GT(whole, 0);
    EXPECT_EQ(markedIn(1), 0) << "the first line's second piece has none of it";
    EXPECT_NEAR(markedIn(2), whole / 2.0, 1);
    m_view.horizontalScrollBar()->setValue(0);
    const QImage left = m_view.viewport()->grab().toImage();
    m_view.search({});
    const QImage plain = m_view.viewport()->grab().toImage();
    const int line = 3 * (m_view.fontMetrics().height() + 3) + 2;
    int pixels = 0;
    for (int x = 0; x < left.width(); ++x) pixels += left.pixel(x, line) != plain.pixel(x, line);
    EXPECT_NEAR(pixels, whole / 2.0, 1);
}

TEST_F(LogViewTest, CopiesTheStatesOfAProgressBarAsLinesAndALongLineAsOne) {
    append("10 %\r20 %\n" + std::string(3000, 'x') + "\n");
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    QTest::keyClick(&m_view, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&m_view, Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(
        waitUntil([] { return QApplication::clipboard()->text() == "10 %\n20 %\n" + QString(3000, u'x'); }));
}

TEST_F(LogViewTest, FindsFailures) {
    append("fine\nTraceback (most recent call last):\nfine\n");
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.failures(), 1);
    QTest::keyClick(&m_view, Qt::Key_E);
    QTest::keyClick(&m_view, Qt::Key_C, Qt::ControlModifier);
    EXPECT_TRUE(
        waitUntil([] { return QApplication::clipboard()->text() == "Traceback (most recent call last):"; }));
}

TEST_F(LogViewTest, FiftyMegabytesOpenAndScrollWithoutAStall) {
    std::string block;
    while (block.size() < (1u << 20)) block += "\x1b[32mstep\x1b[0m 100 loss 0.1234 grad_norm 1.25\n";
    {
        std::ofstream out(file(), std::ios::binary);
        for (int i = 0; i < 48; ++i) out << block;
        out << std::string(2 << 20, 'w') << "\n\xff\xfe\x80 not UTF-8\n";
    }
    StallMeter meter;
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    EXPECT_EQ(m_view.shownRows().back(), "\ufffd\ufffd\ufffd not UTF-8");
    m_view.setWrapping(true);
    for (int i = 0; i < 50; ++i) {
        m_view.verticalScrollBar()->setValue(m_view.verticalScrollBar()->maximum() / 50 * i);
        ASSERT_TRUE(settle());
        ASSERT_FALSE(m_view.shownRows().front().isEmpty());
        m_view.grab();
    }
    RecordProperty("longest_stall_us", static_cast<int>(meter.longest().count()));
}

TEST_F(LogViewTest, WrappedLinesStillEndWithTheLastOne) {
    for (int i = 1; i <= 200; ++i) append(std::string(700, 'a' + i % 26) + "\n");
    append("the very last\n");
    m_view.setWrapping(true);
    m_view.setFile(file());
    ASSERT_TRUE(settle());
    EXPECT_GT(m_view.topRow(), 150);
    EXPECT_EQ(m_view.verticalScrollBar()->value(), m_view.verticalScrollBar()->maximum());
}

}  // namespace
}  // namespace dailies::ui
